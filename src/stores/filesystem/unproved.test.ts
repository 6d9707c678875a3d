import { describe, expect, it } from 'vitest'
import { hashBytes } from '../disk/reading.ts'
import type { Unproved } from './catalog.ts'
import { isSuperseded, settle } from './unproved.ts'

const OLD = 'the old text\n'
const NEW = 'the new text, which is longer\n'
const ID = '01a1e120-2307-73c5-98df-e1e583dae23b'
const BLOCK = `\n## 21:32\n<!-- {"id":"${ID}"} -->\n\nThe staging database moved.\n`
const DAY = '# 2026-11-15\n\n## 10:00\n\nbefore\n'

function replaced(before: string | null, text: string | null): Unproved {
  return { change: 1, earlier: new Set([before === null ? null : hashBytes(before)]), text, appends: [] }
}

function settled(found: string | null, unproved: Unproved): string | null {
  const bytes = settle(found === null ? null : Buffer.from(found), unproved)
  return bytes === null ? null : Buffer.from(bytes).toString()
}

describe('a file that was to be replaced', () => {
  it.each([
    ['the old text', OLD],
    ['nothing', ''],
    ['the beginning of the new text', NEW.slice(0, 9)],
    ['NULs, as a power cut leaves them', `the new\0\0\0`],
    ['the new text', NEW],
  ])('and holds %s, is taken to hold the new text', (_, found) => {
    expect(settled(found, replaced(OLD, NEW))).toBe(NEW)
  })

  it("and holds something else, is a hand's", () => {
    expect(settled('edited by hand\n', replaced(OLD, NEW))).toBe('edited by hand\n')
  })

  it('and was removed by hand, stays removed', () => {
    expect(settled(null, replaced(OLD, NEW))).toBe(null)
  })

  it('and was to be new, is made', () => {
    expect(settled(null, replaced(null, NEW))).toBe(NEW)
  })

  it('by two changes, may be in the state between', () => {
    const unproved = { change: 2, earlier: new Set([hashBytes(OLD), hashBytes('between')]), text: NEW, appends: [] }
    expect(settled('between', unproved)).toBe(NEW)
  })
})

describe('a file that was to be removed', () => {
  it('goes when it is as it was, and stays when a hand was there', () => {
    expect(settled(OLD, replaced(OLD, null))).toBe(null)
    expect(settled(null, replaced(OLD, null))).toBe(null)
    expect(settled('edited', replaced(OLD, null))).toBe('edited')
  })
})

describe('a log that was to be added to', () => {
  const unproved: Unproved = {
    change: 1,
    earlier: new Set(),
    text: undefined,
    appends: [{ at: DAY.length, append: BLOCK }],
  }

  it.each([
    ['lacks all of it', DAY],
    ['has a part of it', DAY + BLOCK.slice(0, 30)],
    ['has all but the last byte', DAY + BLOCK.slice(0, -1)],
    ['has NULs in its place', `${DAY}${'\0'.repeat(20)}`],
    ['has it', DAY + BLOCK],
  ])('and %s, is taken to have it once', (_, found) => {
    expect(settled(found, unproved)).toBe(DAY + BLOCK)
  })

  it('has it once, also when an edit above has moved it', () => {
    const edited = `# 2026-11-15\n\n## 10:00\n\nbefore, and more\n${BLOCK}`
    expect(settled(edited, unproved)).toBe(edited)
  })

  it('gets it on a fresh line when a hand added something that ends without one', () => {
    expect(settled(`${DAY}\nby hand`, unproved)).toBe(`${DAY}\nby hand\n${BLOCK}`)
  })

  it('is made when it is missing', () => {
    expect(settled(null, { ...unproved, appends: [{ at: 0, append: BLOCK }] })).toBe(BLOCK)
  })
})

describe('a settled file', () => {
  it.each([
    ['what we wrote', NEW, NEW, false],
    ['what we wrote and more', `${NEW}and more\n`, NEW, false],
    ['something else', `${OLD}by hand\n`, NEW, true],
    ['nothing: it was removed', null, NEW, true],
    ['something, where nothing was to be', 'by hand\n', null, true],
    ['nothing, as it was to be', null, null, false],
  ])('that holds %s', (_, found, text, isSo) => {
    expect(isSuperseded(found === null ? null : Buffer.from(found), replaced(OLD, text))).toBe(isSo)
  })
})
