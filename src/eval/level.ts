/**
 * What counts as one thing to find: each doc (a turn of a conversation), or a whole session as one text. At session level the
 * docs of a session are joined in their order, and a session is relevant when one of its docs is, worth what the best is.
 */
import type { EvalDoc, EvalQuery, EvalScope, EvalSet } from './dataset.ts'

export const LEVELS = ['turn', 'session'] as const

export type Level = (typeof LEVELS)[number]

export function hasSessions({ scopes }: EvalSet): boolean {
  return scopes.some(({ docs }) => docs.some(({ session }) => session !== undefined))
}

export function atSessionLevel({ name, scopes }: EvalSet): EvalSet {
  return { name, scopes: scopes.map(joined) }
}

function joined({ id, docs, queries }: EvalScope): EvalScope {
  const parts = new Map<string, EvalDoc[]>()
  const unitOf = new Map<string, string>()
  for (const doc of docs) {
    const unit = doc.session ?? alone(doc.id)
    unitOf.set(doc.id, unit)
    const sofar = parts.get(unit)
    if (sofar) sofar.push(doc)
    else parts.set(unit, [doc])
  }
  return {
    id,
    docs: [...parts].map(([unit, itsDocs]) => whole(unit, itsDocs)),
    queries: queries.map((query) => mapped(query, unitOf)),
  }
}

/** A doc of no session stays by itself; the mark keeps it apart from a session that is called as it is. */
function alone(doc: string): string {
  return `doc\0${doc}`
}

function whole(id: string, docs: readonly EvalDoc[]): EvalDoc {
  const [first] = docs
  if (docs.length === 1 && first) return { ...first, id }
  const time = docs.find((doc) => doc.time !== undefined)?.time
  return {
    id,
    text: docs.map(({ text }) => text).join('\n'),
    ...(first?.session === undefined ? {} : { session: first.session }),
    ...(time === undefined ? {} : { time }),
  }
}

function mapped(query: EvalQuery, unitOf: ReadonlyMap<string, string>): EvalQuery {
  const gains = new Map<string, number>()
  for (const [doc, gain] of query.gains) {
    const unit = unitOf.get(doc) ?? alone(doc)
    gains.set(unit, Math.max(gain, gains.get(unit) ?? 0))
  }
  return { ...query, gains }
}
