/** The rule of a purge, where a store has no say: broken lines, odd places for a text, and what is not a text. */
import { describe, expect, it } from 'vitest'
import {
  entryTexts,
  redactionsFor,
  redactLines,
  redactTranscript,
  shortTextNotice,
  transcriptMentions,
} from './redaction.ts'

const SECRET = 'it opens with "7-9-2-4", twice'
const META = '{"key":"k","createdAt":"2026-03-14T09:26:53.589Z"}'

function redacted(line: string, text = SECRET): string {
  const bytes = redactLines(Buffer.from(line), 'main', redactionsFor([{ agent: 'main', text }]))
  return Buffer.from(bytes).toString()
}

describe('a redacted line', () => {
  it.each([
    ['is broken', `{"content":"${SECRET}`, '{"content":"[purged]'],
    ['is broken, and has it as JSON', `{"content":${JSON.stringify(SECRET)}`, '{"content":"[purged]"'],
    ['has it in JSON in a text', JSON.stringify({ arguments: JSON.stringify({ content: SECRET }) }), '[purged]'],
    ['has it escaped', JSON.stringify({ text: SECRET }).replace('o', '\\u006f'), '{"text":"[purged]"}'],
    [
      'has it below a field that names something',
      JSON.stringify({ tools: [{ input: SECRET }] }),
      '[{"input":"[purged]"}]',
    ],
    [
      'is nested too deep to be walked',
      `${'['.repeat(20_000)}${JSON.stringify(SECRET)}${']'.repeat(20_000)}`,
      '["[purged]"]',
    ],
    ['is the metadata', JSON.stringify({ key: SECRET, createdAt: 'x', title: SECRET }), '"title":"[purged]"'],
  ])('loses the text where it %s', (_, line, expected) => {
    expect(redacted(line)).toContain(expected)
  })

  it.each([
    ['a key', JSON.stringify({ [SECRET]: 1 })],
    [
      'a field that names something',
      JSON.stringify({ id: SECRET, toolCallId: SECRET, sent_at: SECRET, tools: [SECRET] }),
    ],
    ['a number', '{"n":1.50}'],
    ['odd blanks', '{ "content" : "nothing of it" }'],
  ])('stays as it is, to the byte, with %s', (_, line) => {
    expect(redacted(line)).toBe(line)
  })

  it.each([
    ['of 24 characters goes from the middle of a text', 'x'.repeat(24), 'a [purged] b'],
    ['of 23 characters stays there', 'x'.repeat(23), `a ${'x'.repeat(23)} b`],
    ['of dashes stays, for it says nothing', `one\n${'-'.repeat(30)}\ntwo`, `a ${'-'.repeat(30)} b`],
  ])('%s', (_, text, expected) => {
    const line = text.split('\n')[1] ?? text
    expect(redacted(JSON.stringify({ content: `a ${line} b` }), text)).toBe(JSON.stringify({ content: expected }))
  })
})

describe('a redacted transcript', () => {
  it('counts the purge in its metadata, and is the same object if nothing is redacted', () => {
    const redactions = redactionsFor([{ agent: 'main', text: SECRET }])
    const bytes = Buffer.from(`${META}\n${JSON.stringify({ content: SECRET })}\n`)
    const once = redactTranscript(bytes, 'main', redactions)
    expect(Buffer.from(once).toString()).toBe(`${META.slice(0, -1)},"purges":1}\n{"content":"[purged]"}\n`)
    expect(redactTranscript(once, 'main', redactions)).toBe(once)
    expect(redactTranscript(bytes, 'bob', redactions)).toBe(bytes)
    expect([transcriptMentions(bytes, redactions), transcriptMentions(once, redactions)]).toEqual([true, false])
  })
})

describe('what is too short to search for', () => {
  it.each([
    ['4711', ['other places with a text of fewer than 6 characters, which is too short to search for']],
    ['471147', []],
    [
      'Bank account\npin 4711',
      ['other places with its short lines: 1 line of fewer than 12 characters was not searched for'],
    ],
    [
      'Bank account\n- a\n- b\n- b\n---',
      ['other places with its short lines: 2 lines of fewer than 12 characters were not searched for'],
    ],
  ])('is reported: %j', (text, expected) => {
    expect(shortTextNotice(redactionsFor([{ agent: 'main', text }]))).toEqual(expected)
  })

  it('does not include a line that was once the whole text', () => {
    const texts = ['Bank account\npin 4711', 'pin 4711'].map((text) => ({ agent: 'main', text }))
    expect(shortTextNotice(redactionsFor(texts))).toEqual([])
  })
})

it('the texts of an entry are its content, and the long strings of its description and metadata', () => {
  const [short, long] = ['x'.repeat(23), 'x'.repeat(24)]
  const own = { session: `1${long}`, first: `2${long}`, through: `3${long}`, archive: `4${long}`, since: `5${long}` }
  const metadata = { ...own, short, key: `k${long}`, deep: [{ text: `d${long}`, n: 1 }] }
  expect(entryTexts({ content: 'pin', description: long, metadata })).toEqual(['pin', long, `k${long}`, `d${long}`])
  expect(entryTexts({ content: ' \n', description: ` ${short} ` })).toEqual([])
  expect(entryTexts({})).toEqual([])
})
