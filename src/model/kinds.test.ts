import { describe, expect, it } from 'vitest'
import { InvalidError } from '../errors.ts'
import { isKind, KIND_NAMES, KINDS, type Kind, type KindRule, parseKind } from './kinds.ts'

/** The table of the design, row by row: scope, file, shape, rewritten, expires. */
const DESIGN = `
| topic        | world | world/{slug}.md                    | page | yes    | never          |
| memory       | agent | MEMORY.md                          | page | yes    | never          |
| identity     | agent | IDENTITY.md                        | page | gated  | never          |
| note         | agent | entries/{slug}.md                  | card | yes    | never          |
| fact         | agent | entries/{slug}.md                  | card | yes    | never          |
| archive      | agent | entries/{slug}.md                  | card | no     | never          |
| experience   | agent | daily/YYYY-MM-DD.md                | log  | append | never          |
| history      | agent | HISTORY-YYYY-MM.md and HISTORY.md  | log  | append | never          |
| conversation | agent | conversation/YYYY-MM-DD.md         | log  | append | 30 days        |
| context      | agent | context/YYYY-MM-DD.md              | log  | by key | end of the day |
`

const ROWS = DESIGN.trim()
  .split('\n')
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )

describe('the kinds', () => {
  it('are those of the design, in its order', () => {
    expect(KIND_NAMES).toEqual(ROWS.map(([kind]) => kind))
  })

  it.each(ROWS)('%s is as the design says: %s, %s, %s, rewritten %s, expires %s', (kind, ...row) => {
    const rule = KINDS[kind as Kind]
    expect([rule.scope, file(rule), rule.shape, rule.rewritten, expires(rule)]).toEqual(row)
  })

  it('have names where they have pages or cards, and no names in logs', () => {
    const naming = Object.fromEntries(KIND_NAMES.map((kind) => [kind, KINDS[kind].naming]))
    expect(naming).toEqual({
      topic: 'given',
      memory: 'fixed',
      identity: 'fixed',
      note: 'given',
      fact: 'given',
      archive: 'given',
      experience: 'none',
      history: 'none',
      conversation: 'none',
      context: 'key',
    })
  })

  it('have a fixed name exactly where there is one of them', () => {
    const fixed = KIND_NAMES.flatMap((kind) => KINDS[kind].fixedName ?? [])
    expect(fixed).toEqual(['MEMORY', 'IDENTITY'])
    for (const kind of KIND_NAMES) expect(KINDS[kind].fixedName !== undefined).toBe(KINDS[kind].naming === 'fixed')
  })

  it('may be given a life of their own unless they are pages', () => {
    for (const kind of KIND_NAMES) expect(KINDS[kind].ttl).toBe(KINDS[kind].shape !== 'page')
  })

  it('have attributes unless their file is the bare text', () => {
    expect(KIND_NAMES.filter((kind) => !KINDS[kind].attributes)).toEqual(['memory', 'identity'])
  })
})

describe('parseKind', () => {
  it('takes each kind', () => {
    for (const kind of KIND_NAMES) expect(parseKind(kind)).toBe(kind)
  })

  it.each(['', 'Note', 'notes', 'toString', '__proto__', 'constructor', null, undefined, 7])('refuses %j', (given) => {
    expect(isKind(given)).toBe(false)
    expect(() => parseKind(given)).toThrow(InvalidError)
  })

  it('names what is allowed', () => {
    expect(() => parseKind('dream')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('topic, memory') }),
    )
  })
})

function file({ place }: KindRule): string {
  if ('file' in place) return place.file
  if ('monthly' in place) return `${place.monthly}YYYY-MM.md and ${place.mirror}`
  return `${place.folder}/${place.by === 'slug' ? '{slug}' : 'YYYY-MM-DD'}.md`
}

function expires({ expires }: KindRule): string {
  if (expires === 'never') return 'never'
  return expires === 'day-end' ? 'end of the day' : `${expires.days} days`
}
