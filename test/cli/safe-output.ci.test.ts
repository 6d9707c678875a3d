/** What a memory holds can't control a terminal and can't hide, on a pipe either. `--json` and `--raw` give every byte. */
import { beforeAll, describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { Desk } from './keepsake.ts'

const HOSTILE =
  'heron \x1b]8;;http://evil\x07x\x1b]8;;\x07 \x9b2J no\b\byes\rls \u202eabc\u202c \u{e0069} pass\u200bword'
const HARMLESS = 'می\u200cخواهم 👩\u200d💻 Donau\u00addampf\ttab'
const TEXT = `${HOSTILE}\n${HARMLESS}`
const SHOWN =
  'heron <U+001B>]8;;http://evil<U+0007>x<U+001B>]8;;<U+0007> <U+009B>2J no<U+0008 and 1 more>yes<U+000D>ls ' +
  `<U+202E>abc<U+202C> <U+E0069> pass<U+200B>word\n${HARMLESS}`
const NAME = 'Heron\u200b\u{e0069}'

const CONTROL = /(?![\t\n])\p{Cc}/u
const HIDDEN = /[\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u

let desk: Desk

beforeAll(async () => {
  desk = await Desk.empty()
  const memory = await openMemory({ workspace: desk.workspace })
  await memory.remember(TEXT, { name: NAME, aliases: ['h'], description: HOSTILE, metadata: { [HOSTILE]: HOSTILE } })
  await memory.remember('Before.', { name: NAME })
  await memory.remember(TEXT, { name: NAME, description: HOSTILE })
  await memory.remember(TEXT)
  await memory.learnFact('Topic', TEXT)
  await memory.reflect(TEXT)
  await memory.session('s\u200b').append([{ role: 'user', content: TEXT, tools: [HOSTILE] }])
  await memory.close()
})

describe.concurrent('a pipe', () => {
  it.each([
    ['show', 'h'],
    ['show', 'h', '--quiet'],
    ['list'],
    ['list', '--quiet'],
    ['recall'],
    ['recall', 'heron'],
    ['recall', 'heron', '--explain'],
    ['recall', 'heron', '--quiet'],
    ['recall', 'zzz\u202e\u{e0069}'],
    ['log', '--diff'],
    ['blame', 'h'],
    ['context', '--message', 'heron'],
    ['context', '--message', 'heron', '--quiet'],
    ['session', 'list'],
    ['session', 'list', '--quiet'],
    ['session', 'show', 's\u200b'],
    ['show', `nothing${HOSTILE}`],
    ['forget', 'h'],
    ['doctor'],
  ])('gets no escape sequence and nothing hidden from %s %s %s', async (...args) => {
    const { stdout, stderr } = await desk.run(args)
    expect(stdout + stderr).not.toMatch(CONTROL)
    expect(stdout + stderr).not.toMatch(HIDDEN)
    expect(stdout + stderr).not.toBe('')
  })

  it('gets hidden characters as marks, and those that writing needs as they are', async () => {
    expect((await desk.run(['show', 'h', '--quiet'])).stdout).toBe(`${SHOWN}\n`)
  })

  it('gets every byte with --raw', async () => {
    expect((await desk.run(['show', 'h', '--raw'])).stdout).toBe(`${TEXT}\n`)
  })

  it('gets every byte as JSON, without escape sequences', async () => {
    const { stdout } = await desk.run(['show', 'h', '--json'])
    expect(JSON.parse(stdout).entry).toMatchObject({ name: NAME, content: TEXT })
    expect(stdout).not.toMatch(CONTROL)
    expect(stdout).not.toMatch(HIDDEN)
  })
})
