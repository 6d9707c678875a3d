/**
 * The docs of a scope as entries, so that what is measured is the recall that users get. A doc of a session is a log entry
 * of that session, in its order; any other is a note. Invariant: each word of a doc is in its entry once. So a title is the
 * note's name and not in its content too, and what has no title gets a name without words, for a store would make one of
 * the first words; names that must differ differ in marks that are no words either.
 */
import type { AddOperation } from '../model/operation.ts'
import { instant } from '../model/time.ts'
import type { EvalDoc } from './dataset.ts'
import { parseDocTime } from './doc-time.ts'

/** A name has 200; the rest is for marks that keep it apart from others. */
const MOST_NAME_CHARACTERS = 180

export interface DocEntries {
  readonly operations: readonly AddOperation[]
  /** From the id of an entry to that of its doc. */
  readonly docs: ReadonlyMap<string, string>
  /** When the last doc was said. */
  readonly lastMs: number
}

/** `nowMs`: when docs were said that tell no time. */
export function docEntries(docs: readonly EvalDoc[], agent: string, nowMs: number): DocEntries {
  const times = timesOf(docs, nowMs)
  const named = new Names()
  const operations: AddOperation[] = []
  const ids = new Map<string, string>()
  for (const [index, doc] of docs.entries()) {
    const text = doc.text.toWellFormed().replaceAll('\0', ' ')
    // Nothing can be remembered of a doc that says nothing, and so nothing found.
    if (text.trim() === '') continue
    // Not random, so that entries of the same score have the same order in every run.
    const id = `00000000-0000-8000-8000-${index.toString(16).padStart(12, '0')}`
    ids.set(id, doc.id)
    operations.push({
      op: 'add',
      id,
      scope: agent,
      ...(doc.session === undefined
        ? { kind: 'note', ...named.split(text, doc.title ?? '') }
        : { kind: 'conversation', content: text }),
      createdAt: instant(times[index] ?? nowMs),
      expiresAt: null,
      origin: { by: 'import', agent, ...(doc.session === undefined ? {} : { session: sessionKey(doc.session) }) },
    })
  }
  return { operations, docs: ids, lastMs: times.reduce((last, at) => Math.max(last, at), 0) || nowMs }
}

/** A doc that tells no time was said right after the one before it; within a session no two at once. */
function timesOf(docs: readonly EvalDoc[], nowMs: number): number[] {
  const said = docs
    .map(({ time }) => (time === undefined ? undefined : parseDocTime(time)))
    .map((at) => at && Date.parse(at))
  let last = said.find((ms) => typeof ms === 'number') ?? nowMs
  return docs.map(({ session }, index) => {
    const continues = session !== undefined && index > 0 && session === docs[index - 1]?.session
    const earliest = continues ? last + 1 : Number.NEGATIVE_INFINITY
    const ms = said[index]
    last = Math.max(typeof ms === 'number' ? ms : last, earliest)
    return last
  })
}

function sessionKey(session: string): string {
  return session.toWellFormed().replaceAll('\0', ' ')
}

class Names {
  readonly #taken = new Set<string>()
  #nameless = 0

  /** A name that is still free, and of the text what the name does not say already. */
  split(text: string, title: string): { readonly name: string; readonly content: string } {
    const rest = text.startsWith(title) ? text.slice(title.length) : text
    const { head, tail } = cut(
      title
        .toWellFormed()
        .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
        .normalize('NFC')
        .trim(),
    )
    const content = `${tail} ${rest}`.trim()
    if (head === '' || content === '') return { name: wordless(++this.#nameless), content: text }
    return { name: this.#free(head), content }
  }

  #free(name: string): string {
    for (let n = 0; ; n++) {
      const candidate = n === 0 ? name : `${name} ${wordless(n)}`
      if (this.#taken.has(candidate) || candidate === 'MEMORY' || candidate === 'IDENTITY') continue
      this.#taken.add(candidate)
      return candidate
    }
  }
}

/** At a blank, where the title is too long for a name. */
function cut(title: string): { readonly head: string; readonly tail: string } {
  if (title.length <= MOST_NAME_CHARACTERS) return { head: title, tail: '' }
  const blank = title.lastIndexOf(' ', MOST_NAME_CHARACTERS)
  return blank <= 0 ? { head: '', tail: title } : { head: title.slice(0, blank), tail: title.slice(blank + 1) }
}

/** A number in two marks that no tokenizer takes for a word. */
function wordless(n: number): string {
  return n.toString(2).replaceAll('0', '.').replaceAll('1', ':')
}
