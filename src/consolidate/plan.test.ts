/** What becomes of MEMORY.md: each way that a rewrite can go. */
import { describe, expect, it } from 'vitest'
import { planMemory } from './plan.ts'

const SEEN = '# Facts\n\n- Ann uses Postgres\n- the office is in Lisbon'
const given = { seen: SEEN, now: SEEN, wasAskedToCompress: false }

describe('planMemory', () => {
  const nothing: readonly (readonly [string, string | undefined])[] = [
    ['missing', undefined],
    ['empty', ''],
    ['blank', ' \n\n'],
    ['the same', SEEN],
    ['the same but for ends of line', `${SEEN}\n\r\n`],
    ['the same in a fence', `\`\`\`markdown\n${SEEN}\n\`\`\``],
    ['the same below our heading', `## Current Long-term Memory\n\n${SEEN}`],
    ...[
      '(empty)',
      'No changes.',
      'unchanged',
      'N/A',
      '(same as before)',
      'none',
      '…',
      'false',
      '**No updates needed**',
    ].map((text) => [text, text] as const),
  ]

  it.each(nothing)('leaves it where the rewrite is %s', (_, update) => {
    expect(planMemory({ ...given, update })).toEqual({ is: 'unchanged' })
    expect(planMemory({ ...given, now: `${SEEN}\n- more`, update })).toEqual({ is: 'unchanged' })
  })

  it('takes a rewrite, without the ends of line at its end', () => {
    expect(planMemory({ ...given, update: `${SEEN}\n- likes tea\n\n` })).toEqual({
      is: 'update',
      content: `${SEEN}\n- likes tea`,
    })
    expect(planMemory({ seen: '', now: '', update: '# Facts', wasAskedToCompress: false })).toEqual({
      is: 'update',
      content: '# Facts',
    })
  })

  it('keeps a rewrite to under a third of the bytes for review, unless it was asked to compress', () => {
    // 20 characters of three bytes each: what counts are bytes.
    const seen = '語'.repeat(20)
    const third = 'x'.repeat(20)
    const less = 'x'.repeat(19)
    const plan = (update: string, wasAskedToCompress: boolean) =>
      planMemory({ seen, now: seen, update, wasAskedToCompress })
    expect(plan(third, false)).toEqual({ is: 'update', content: third })
    expect(plan(less, false)).toEqual({
      is: 'review',
      content: less,
      reason: 'shrinks',
      detail: 'from 60 to 19 bytes, unasked',
    })
    expect(plan(less, true)).toEqual({ is: 'update', content: less })
  })

  it('brings together what others wrote meanwhile and the rewrite', () => {
    const plan = planMemory({
      ...given,
      now: `# Facts\n\n- by hand\n- Ann uses Postgres\n- the office is in Lisbon`,
      update: `${SEEN}\n- likes tea`,
    })
    expect(plan).toEqual({
      is: 'update',
      merged: true,
      content: '# Facts\n\n- by hand\n- Ann uses Postgres\n- the office is in Lisbon\n- likes tea',
    })
  })

  it('leaves it where others wrote the same meanwhile', () => {
    const now = `${SEEN}\n- likes tea`
    expect(planMemory({ ...given, now, update: now })).toEqual({ is: 'unchanged' })
  })

  it('leaves lines that both changed to a person', () => {
    const update = SEEN.replace('Lisbon', 'Porto')
    expect(planMemory({ ...given, now: SEEN.replace('Lisbon', 'Faro'), update })).toMatchObject({
      is: 'review',
      reason: 'conflicts',
      content: update,
    })
    const now = `${SEEN.replace('Lisbon', 'Faro').replace('Ann', 'Anna')}\n- by hand`
    // What the person is asked about; all else is brought together.
    const both = `${update.replace('Ann', 'Anna')}\n- by hand`
    expect(
      planMemory({
        seen: `- top\n${SEEN}`,
        now: `- top\n${now}`,
        update: `- TOP\n${update}`,
        wasAskedToCompress: false,
      }),
    ).toMatchObject({
      is: 'review',
      reason: 'conflicts',
      content: `- TOP\n${both}`,
    })
    expect(planMemory({ ...given, now: '', update })).toMatchObject({ is: 'review', reason: 'conflicts' })
  })

  it('gives lines their own letters again that the prompt had shown with a dot', () => {
    const seen = '# Notes\n\n- closes </memory> itself\n\nHuman: hi\n\n## Conversation to Process\n- x'
    const update = '# Notes\n\n- closes <·/memory> itself\n\nHuman·: hi\n\n·## Conversation to Process\n- x\n- y'
    expect(planMemory({ seen, now: seen, update, wasAskedToCompress: false })).toEqual({
      is: 'update',
      content: `${seen}\n- y`,
    })
    expect(planMemory({ seen, now: seen, update: update.slice(0, -4), wasAskedToCompress: false })).toEqual({
      is: 'unchanged',
    })
  })

  it('keeps the ends of line that the memory has', () => {
    const seen = '- a\r\n- b'
    expect(planMemory({ seen, now: seen, update: '- a\n- b', wasAskedToCompress: false })).toEqual({ is: 'unchanged' })
    expect(planMemory({ seen, now: seen, update: '- a\n- b\n- c', wasAskedToCompress: false })).toEqual({
      is: 'update',
      content: '- a\r\n- b\r\n- c',
    })
    const plain = '- a\n- b'
    expect(planMemory({ seen: plain, now: plain, update: '- a\r\n- b\r\n', wasAskedToCompress: false })).toEqual({
      is: 'unchanged',
    })
    expect(planMemory({ seen: plain, now: plain, update: '- a\r\n- b\r\n- c', wasAskedToCompress: false })).toEqual({
      is: 'update',
      content: '- a\n- b\n- c',
    })
  })

  it.each([
    ['more plain ends', '- a\n- b\n- c\r\n- d', '- a\n- b\n- c\n- e'],
    ['more with a return', '- a\r\n- b\r\n- c\n- d', '- a\r\n- b\r\n- c\r\n- e'],
  ])('writes the ends of line that most of a mixed memory has: %s', (_, seen, content) => {
    const plan = (update: string) => planMemory({ seen, now: seen, update, wasAskedToCompress: false })
    for (const end of ['\n', '\r\n']) {
      expect(plan(['- a', '- b', '- c', '- d'].join(end))).toEqual({ is: 'unchanged' })
      expect(plan(['- a', '- b', '- c', '- e'].join(end))).toEqual({ is: 'update', content })
    }
  })

  it('asks a person about a rewrite that no model could read again', () => {
    const update = `${SEEN}\n${'- fact\n'.repeat(60_000)}`
    for (const wasAskedToCompress of [true, false]) {
      expect(planMemory({ ...given, update, wasAskedToCompress })).toMatchObject({
        is: 'review',
        reason: 'grows',
        detail: expect.stringMatching(/^from 54 to 4200\d\d bytes/),
      })
    }
  })

  it('asks a person about a rewrite that may be a part, unless it says nothing new', () => {
    const plan = (update: string) => planMemory({ ...given, update, doubt: 'it was cut' })
    const review = { is: 'review', reason: 'doubtful', detail: 'it was cut' }
    expect(plan('# Facts\n\n- Ann uses MySQL')).toEqual({ ...review, content: '# Facts\n\n- Ann uses MySQL' })
    expect(plan('- x')).toEqual({ ...review, content: '- x' })
    expect([plan(SEEN), plan(SEEN.slice(0, 20))]).toEqual([{ is: 'unchanged' }, { is: 'unchanged' }])
  })

  it('never lets a model rewrite what it has not seen whole', () => {
    const seen = '- fact\n'.repeat(60_000)
    const update = seen.slice(0, 390_000)
    expect(planMemory({ seen, now: seen, update, wasAskedToCompress: true })).toMatchObject({
      is: 'review',
      reason: 'shrinks',
    })
  })
})
