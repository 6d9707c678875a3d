/** The two fields of a reply in a value that was read from it, however they are spelled and wrapped. Pure. */
import { isDoubtful, type Loose } from './loose-json.ts'

export type FieldName = 'historyEntry' | 'memoryUpdate'

/** What a reply says, each as far as it was there. */
export type Fields = { readonly [name in FieldName]?: Loose }

/** What models and their servers put around an answer. Not what describes one: `properties`, `example`. */
const WRAPPERS = new Set([
  ...['result', 'results', 'output', 'response', 'reply', 'answer', 'final', 'data', 'json', 'value'],
  ...[
    'arguments',
    'args',
    'parameters',
    'params',
    'input',
    'function',
    'functioncall',
    'toolcall',
    'toolcalls',
    'tooluse',
  ],
  ...['choices', 'message', 'content', 'text'],
])

const DEEPEST = 6

/** `history_entry`, `historyEntry`, `History Entry`. */
export function fieldCalled(key: string): FieldName | undefined {
  const letters = lettersOf(key)
  if (letters === 'historyentry') return 'historyEntry'
  return letters === 'memoryupdate' ? 'memoryUpdate' : undefined
}

/** All that are in it; `inText` is asked for what a text says that is JSON itself. */
export function fieldsIn(value: Loose, inText: (text: string) => readonly Fields[], depth = 0): readonly Fields[] {
  if (depth > DEEPEST) return []
  switch (value.is) {
    case 'text':
      return /^\s*[[{"\\]/.test(value.text) ? inText(value.text) : []
    case 'list':
      return value.items.flatMap((item) => fieldsIn(item, inText, depth + 1))
    case 'object': {
      const own = ownFields(value.members)
      if (own) return [own]
      const wrapped = value.members.filter(([key]) => WRAPPERS.has(lettersOf(key)))
      return wrapped.flatMap(([, member]) => fieldsIn(member, inText, depth + 1))
    }
    case 'nothing':
      return []
  }
}

function ownFields(members: readonly (readonly [string, Loose])[]): Fields | undefined {
  const fields: { [name in FieldName]?: Loose } = {}
  for (const [key, value] of members) {
    const name = fieldCalled(key)
    // The last one counts, as in JSON, but for one that says nothing.
    if (name !== undefined && !(fields[name] && value.is === 'nothing')) fields[name] = value
  }
  if (Object.keys(fields).length === 0) return undefined
  const isStrange = members.some(([key]) => fieldCalled(key) === undefined)
  return isStrange && members.some(([, value]) => isDoubtful(value)) ? withoutMemory(fields) : fields
}

/** Only what closes something: a string that ended too early leaves words behind. */
const CLOSING = /^(?:[\s}\]);,.`]|<[^<>\n]{1,60}>)*$/

/** What was read up to `end`, but a memory only where it can't be a part of one: half a memory would replace the whole of it. */
export function certainFields(found: readonly Fields[], value: Loose, text: string, end: number): readonly Fields[] {
  return isDoubtful(value) && !CLOSING.test(text.slice(end)) ? found.map(withoutMemory) : found
}

function withoutMemory({ historyEntry }: Fields): Fields {
  return historyEntry ? { historyEntry } : {}
}

function lettersOf(key: string): string {
  return key.toLowerCase().replace(/[^a-z]/g, '')
}
