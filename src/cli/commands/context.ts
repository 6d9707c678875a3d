/** `keepsake context`: exactly what a model would be given of the memory, part by part, with what each part costs. */
import type { Context as Given } from '../../memory.ts'
import { PRESET_NAMES } from '../../model/preset.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { warningsJson } from '../entry-json.ts'
import { openWorkspace } from '../open-workspace.ts'
import type { Screen } from '../screen.ts'
import { textOperand } from '../text-operand.ts'

export const context: Command = {
  verb: 'context',
  operands: [],
  about: [
    'Shows what a model would be given: the system prompt (the identity, how to use the memory, MEMORY.md) and, with',
    '--message, what is recalled for that message; each part with its tokens, about. With --quiet only the text that the',
    'model gets. Which parts there are, agent.yaml says: tools, inject_memory, auto_recall. A file directives/memory.md in',
    'the workspace stands in place of the built-in text about the memory. Where agent.yaml has no spec.memory a model is',
    'given nothing, and the command says so. Writes nothing.',
  ],
  options: [
    { name: 'message', value: 'TEXT', mayBeEmpty: true, about: 'what the user just said; "-" is standard input' },
    { name: 'tools', value: PRESET_NAMES.join('|'), about: 'as if agent.yaml said so' },
  ],
  examples: [
    'keepsake context',
    'keepsake context --message "When do we deploy?"',
    'keepsake context --tools agnx --quiet',
  ],
  run,
}

async function run(request: Context): Promise<Outcome> {
  const { given, screen } = request
  const config = await configAsked(request)
  if (!config.enabled) return noMemory(screen.path('', config.file ?? ''))
  const message = given.one('message')
  const { memory } = await openWorkspace(config)
  try {
    const shown = await memory.context(message === undefined ? {} : { message: await textOperand(message) })
    return outcomeOf(shown, screen)
  } finally {
    await memory.close()
  }
}

/** Without `spec.memory` an agent is given nothing: the command says so, and that is no failure. */
function noMemory(file: string): Outcome {
  const why = `${file} has no spec.memory, so agents are given no memory here`
  return {
    json: { system: '', recall: '', parts: [], tokens: 0, ...warningsJson([why]) },
    text: `Nothing: ${why}. To give them one, write this in it:\n\nspec:\n  memory: {}`,
    quietText: '',
    warnings: [],
  }
}

function outcomeOf({ system, recall, parts, warnings }: Given, screen: Screen): Outcome {
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0)
  const costs = parts.map(({ part, tokens, cut }) => ({ part, tokens, cut }))
  const texts = parts.map((part) => {
    const heading = `== ${part.part}: ${tokensText(part.tokens)}${part.cut ? ', cut' : ''} ==`
    return `${screen.bold(heading)}\n\n${screen.plain(part.text)}`
  })
  const sum = screen.bold(`== all: ${tokensText(tokens)} ==`)
  return {
    json: { system, recall, parts: costs, tokens, ...warningsJson(warnings) },
    text: [...texts, sum].join('\n\n'),
    quietText: screen.plain([system, recall].filter((text) => text !== '').join('\n\n')),
    warnings,
  }
}

function tokensText(tokens: number): string {
  return `${tokens} ${tokens === 1 ? 'token' : 'tokens'}`
}
