/** The two fields of a reply in a value that was read from it, however they are spelled and wrapped. Pure. */
import { type FieldName, fieldCalled, lettersOf } from './field-names.ts'
import type { Loose } from './loose-json.ts'

/** What a reply says, each as far as it was there. */
export type Fields = { readonly [name in FieldName]?: Loose } & {
  /** Why the memory may be only a part of what was meant. Missing: it is the whole. */
  readonly doubt?: Doubt
}

/** Each a sentence for the person who decides on that memory. */
export type Doubt = (typeof DOUBTS)[keyof typeof DOUBTS]

export const DOUBTS = {
  cut: 'it was cut: it is only a part, and accepting it drops the rest',
  unclosed: 'its end is missing: it may be only a part, and accepting it drops the rest',
  goesOn: 'the reply goes on behind it: it may be only a part, or have words in it that are none of it',
  quote: 'a quote in it may not be escaped: it may be only a part',
  around: 'other words of the reply may belong to it: it may be only a part',
  open: 'nobody says that the reply is whole: it may be only a part',
} as const

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
  let memories = 0
  for (const [key, value] of members) {
    const name = fieldCalled(key)
    if (name === 'memoryUpdate' && value.is !== 'nothing') memories++
    // The last one counts, as in JSON, but for one that says nothing.
    if (name !== undefined && !(fields[name] && value.is === 'nothing')) fields[name] = value
  }
  if (Object.keys(fields).length === 0) return undefined
  // A memory that names its own key, unescaped, is read as two.
  return memories > 1 ? doubted(fields, DOUBTS.quote) : fields
}

/** The first doubt counts: it was nearest to the memory. */
export function doubted(fields: Fields, doubt: Doubt): Fields {
  return { doubt, ...fields }
}
