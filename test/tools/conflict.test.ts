/** A write that came too late is told by what the model calls the text, with its revision, and how to read it again. */
import { describe, expect, it } from 'vitest'
import { Bench, type Data, STORES } from './bench.ts'

const STALE = '0123456789abcdef'

describe.each(STORES)('on the %s store', (store) => {
  it.each([
    ['default.reflect', {}, 'MEMORY.md'],
    ['default.soul', {}, 'the identity'],
    ['default.learn_fact', { topic: 'people here' }, 'the topic "people here"'],
  ])('%s names it', async (tool, args, label) => {
    const bench = await Bench.open(store, { soulEditable: true })
    const gone = await bench.call(tool, { ...args, content: 'New.', expect: STALE })
    expect(gone.text).toBe(
      `${label} is not there; revision ${STALE} was expected\nTo write it anew: the same call with expect "new".`,
    )
    const asWritten = 'topic' in args ? { topic: 'People here' } : args
    const { entry } = await bench.done(tool, { ...asWritten, content: 'One.', expect: 'new' })
    const { revision } = await bench.done(tool, args)
    expect(revision).toBe(entry.revision)
    const late = await bench.call(tool, { ...args, content: 'Two.', expect: STALE })
    const again = await bench.call(tool, { ...args, content: 'Two.', expect: 'new' })
    expect((late.structured as Data).error).toMatchObject({
      code: 'CONFLICT',
      message: `${label} is at revision ${revision}, not ${STALE}`,
      hint: expect.stringContaining('without content and expect gives its text and revision'),
    })
    expect(again.text).toMatch(`${label} exists already, at revision ${revision}\nRead it again`)
    for (const { text } of [late, again]) expect(text).not.toContain(entry.id)
  })
})
