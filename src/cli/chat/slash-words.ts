/** The words of a chat that are not for the model: what each is for, and what it does. */

import type { KeepsakeError } from '../../errors.ts'
import { nearest } from '../../model/nearest.ts'
import { isLogged } from '../../model/operation.ts'
import { usageError } from '../arguments.ts'
import { labelOf, shortened } from '../entry-text.ts'
import { hitsText } from '../hits-text.ts'
import { readOutcome, writtenOutcome } from '../outcomes.ts'
import { undoneText, withCommandHint } from '../undone-text.ts'
import type { Chat } from './chat.ts'

export interface SlashAnswer {
  readonly text: string
  readonly warnings: readonly string[]
}

interface SlashWord {
  /** What must stand behind it. */
  readonly operand?: string
  readonly about: string
  readonly run: ((chat: Chat, operand: string) => Promise<SlashAnswer>) | 'a new beginning' | 'the end'
}

const WORDS: ReadonlyMap<string, SlashWord> = new Map<string, SlashWord>([
  ['/new', { about: 'condense what was said, and begin anew', run: 'a new beginning' }],
  ['/memory', { about: 'MEMORY.md, the page that the model always has before it', run: shownMemory }],
  ['/recall', { operand: 'QUERY', about: 'what the words of a query bring up', run: recalled }],
  ['/forget', { operand: 'REF', about: 'remove an entry; asks first', run: forgotten }],
  ['/undo', { about: "take back the agent's last change", run: undone }],
  ['/help', { about: 'this list', run: async () => ({ text: helpText(), warnings: [] }) }],
  ['/exit', { about: 'end; so does Ctrl-D', run: 'the end' }],
])

export interface Called {
  readonly run: SlashWord['run']
  readonly operand: string
}

/** `undefined`: the line is a message. A path, `/etc/hosts`, is no word of ours, nor is one behind a blank. */
export function slashCall(line: string): Called | undefined {
  const [, word, operand = ''] = /^(\/[\p{L}\p{N}_-]*)(?:\s+(.*))?$/su.exec(line.trimEnd()) ?? []
  if (word === undefined) return undefined
  const known = WORDS.get(word.toLowerCase())
  if (!known) throw unknownWord(word)
  if (known.operand === undefined && operand !== '')
    throw usageError(`${word} takes no argument`, `Type it alone: ${word}`)
  if (known.operand !== undefined && operand === '') {
    throw usageError(`${word} needs ${known.operand}`, `Type it as: ${word} ${known.operand}`)
  }
  return { run: known.run, operand }
}

function unknownWord(word: string): KeepsakeError {
  const near = nearest(word, [...WORDS.keys()])
  const all = 'See all: /help. To send it to the model, put a blank before it.'
  return usageError(`there is no ${word}; nothing was sent`, near === undefined ? all : `Did you mean ${near}? ${all}`)
}

function helpText(): string {
  const rows = [...WORDS].map(([word, { operand, about }]) => [operand ? `${word} ${operand}` : word, about] as const)
  const width = Math.max(...rows.map(([called]) => called.length))
  return [
    ...rows.map(([called, about]) => `${called.padEnd(width)}  ${about}`),
    '',
    'All else is sent to the model. Ctrl-C stops its answer; at the prompt it ends the chat.',
  ].join('\n')
}

async function shownMemory({ context, memory }: Chat): Promise<SlashAnswer> {
  const entry = await memory.get('MEMORY')
  return entry ? readOutcome(context, entry) : { text: `The memory of ${memory.agent} is still empty.`, warnings: [] }
}

async function recalled({ context, memory, root, zone }: Chat, query: string): Promise<SlashAnswer> {
  const found = await memory.search(query)
  return { text: hitsText(found, { screen: context.screen, root, zone }), warnings: found.warnings }
}

async function forgotten({ context, memory, root, session, lines }: Chat, ref: string): Promise<SlashAnswer> {
  const { screen } = context
  const entry = await memory.find(ref)
  const where = entry.path === undefined ? '' : ` in ${screen.path(root, entry.path)}`
  const what = screen.line(`${labelOf(entry)}${where}: "${shortened(entry.content)}"`)
  if (!lines.ask) {
    throw usageError(
      `this would remove ${what}`,
      'Nothing was removed. Where nobody can be asked: keepsake forget REF --yes',
    )
  }
  const answer = (await lines.ask(`Remove ${what}? [y/N] `)) ?? ''
  if (!/^y(es)?$/i.test(answer.trim())) return { text: 'Nothing was removed.', warnings: [] }
  // By id: whatever the name means by now, this is the entry that was agreed on.
  const written = await memory.forget(entry.id, { session })
  const { text, warnings } = await writtenOutcome(context, written, `Forgot ${labelOf(entry)}`)
  return { text: isLogged(written.change) ? `${text}\nTo bring it back: /undo` : text, warnings }
}

/** Not what a person did to the files, nor what another agent did: that is for `keepsake undo`. */
async function undone({ context, memory, zone }: Chat): Promise<SlashAnswer> {
  const done = await memory.undo({ agent: memory.agent, last: 1 }).catch((error: unknown) => {
    throw withCommandHint(error)
  })
  return { text: undoneText(done, { screen: context.screen, zone, dryRun: false }), warnings: done.warnings }
}
