/** `keepsake consolidate`: a model condenses sessions into the history, MEMORY.md and an archive. */
import { consolidate as condense } from '../../consolidate/consolidate.ts'
import type { Consolidated, ConsolidationStep } from '../../consolidate/consolidated.ts'
import { retryFallbacks } from '../../consolidate/retry.ts'
import { isKeepsakeError, type KeepsakeError } from '../../errors.ts'
import { LONGEST_TIMER_MS, wholeNumber } from '../../model/number.ts'
import { type Arguments, usageError } from '../arguments.ts'
import { modelAsked, modelUnattended } from '../asked-model.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { consolidatedJson, failureJson } from '../consolidated-json.ts'
import { consolidatedText, failureWarnings } from '../consolidated-text.ts'
import { EXIT_STATUS } from '../exit-status.ts'
import { requireSession } from '../known-session.ts'
import { sessionsToCondense } from '../sessions-to-condense.ts'
import { type StepLine, stepLine } from '../step-line.ts'

const STEPS: Readonly<Record<ConsolidationStep, string>> = {
  waiting: 'waiting for its turn',
  asking: 'asking the model',
  writing: 'writing',
}

export const consolidate: Command = {
  verb: 'consolidate',
  operands: [{ name: 'SESSION', optional: true, many: true }],
  about: [
    'Lets a model condense what was said in a session: into an entry of the history, into MEMORY.md, and into an archive',
    'that stands for the turns from then on. They stay in the transcript; "keepsake undo" brings all of it back. Where the',
    'model fails, everything is kept as it is and the status is 1. A rewrite of MEMORY.md that loses too much waits for',
    'you: "keepsake review". Which model: docs/models.md. More: docs/consolidation.md.',
  ],
  options: [
    { name: 'all', about: 'every session in which nothing was said for ten minutes, and what hooks have saved' },
    { name: 'retry', about: 'what could not be condensed before' },
    { name: 'timeout', value: 'MS', about: 'how long a model may take; else what agent.yaml says, else 30000' },
    { name: 'unattended', about: 'only with a model that your own environment knows: for hooks, see docs/hooks.md' },
  ],
  examples: [
    'keepsake consolidate chat-1',
    'keepsake consolidate --all',
    'keepsake consolidate --retry --timeout 120000',
  ],
  run,
}

/** Of one of several sessions: the others are condensed all the same. */
interface Failed {
  readonly session: string
  readonly error: KeepsakeError
}

async function run(context: Context): Promise<Outcome> {
  const { given, screen } = context
  refuseTwoWays(given)
  const asked = given.number('timeout')
  const timeout = asked === undefined ? {} : { timeoutMs: wholeNumber(asked, 'timeout', 1, LONGEST_TIMER_MS) }
  const model = given.has('unattended') ? await modelUnattended(context) : await modelAsked(context)
  const options = { model, ...timeout }
  const { memory } = await context.open()
  const steps = stepLine(given, screen)
  try {
    if (given.has('retry')) {
      const told = (step: ConsolidationStep): void => steps.show(`Condensing again: ${STEPS[step]} …`)
      return await outcomeOf(context, await retryFallbacks(memory, { ...options, told }))
    }
    const keys = await keysAsked(context)
    const condensed = (key: string): Promise<Consolidated> =>
      condense(memory, key, { ...options, told: telling(steps, key) })
    if (given.operands.length > 0 && keys.length === 1) return await outcomeOf(context, await condensed(keys[0] ?? ''))
    const results: (Consolidated | Failed)[] = []
    for (const key of keys) results.push(await condensed(key).catch((error) => failedAlone(key, error)))
    return await outcomeOf(context, results)
  } finally {
    steps.end()
  }
}

function refuseTwoWays(given: Arguments): void {
  const ways = [given.operands.length > 0, given.has('all'), given.has('retry')].filter(Boolean).length
  const hint = 'Give one of: SESSION, --all, --retry'
  if (ways === 0) throw usageError('consolidate needs to know what', hint)
  if (ways > 1) throw usageError('SESSION, --all and --retry contradict each other', hint)
}

async function keysAsked(context: Context): Promise<readonly string[]> {
  const { memory, root } = await context.open()
  if (context.given.has('all')) return sessionsToCondense(memory)
  const keys = [...new Set(context.given.operands)]
  for (const key of keys) await requireSession(memory, key, root)
  return keys
}

function telling(steps: StepLine, key: string): (step: ConsolidationStep) => void {
  return (step) => steps.show(`Condensing "${key}": ${STEPS[step]} …`)
}

function failedAlone(session: string, error: unknown): Failed {
  if (isKeepsakeError(error)) return { session, error }
  throw error
}

/** Of one session that was named it is the result itself, else a list. */
async function outcomeOf(context: Context, done: Consolidated | readonly (Consolidated | Failed)[]): Promise<Outcome> {
  const { screen } = context
  const { root } = await context.open()
  const results = 'outcome' in done ? [done] : done
  const failed = results.filter((result) => 'error' in result)
  const condensed = results.filter((result) => 'outcome' in result)
  if (condensed.some(({ outcome }) => outcome === 'fell back')) process.exitCode = EXIT_STATUS.MODEL
  for (const { error } of failed.slice(0, 1)) process.exitCode = EXIT_STATUS[error.code]
  const texts = condensed.map((result) => consolidatedText(result, { screen, root }))
  const warnings = condensed.flatMap((result) => result.warnings)
  return {
    json: 'outcome' in done ? consolidatedJson(done) : { results: results.map(resultJson) },
    text: results.length === 0 ? 'There is nothing to condense.' : texts.join('\n'),
    quietText: '',
    warnings: [
      ...warnings,
      ...condensed.flatMap(failureWarnings),
      ...failed.map(({ session, error }) => `session "${session}": ${error.message}`),
    ],
  }
}

function resultJson(result: Consolidated | Failed): object {
  if ('outcome' in result) return consolidatedJson(result)
  return { session: result.session, error: failureJson(result.error) }
}
