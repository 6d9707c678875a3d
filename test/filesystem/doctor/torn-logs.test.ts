import { describe, expect, it } from 'vitest'
import { Ward } from './ward.ts'

async function codesAfter(change: (text: string) => string): Promise<string[]> {
  const ward = await Ward.healthy()
  ward.change(ward.today, change)
  const { findings } = await ward.examine()
  return findings.map(({ code, problem }) => `${code}: ${problem}`)
}

describe('a log that was cut', () => {
  it.each([
    ['within the heading', (text: string) => text.slice(0, text.lastIndexOf('## ') + 5), /heading/],
    ['within the attributes', (text: string) => text.slice(0, text.lastIndexOf('<!--') + 12), /attributes/],
    ['within the text', (text: string) => text.slice(0, -6), /the journal has more/],
  ])('%s is told', async (_, cut, problem) => {
    const found = await codesAfter(cut)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/^torn-log-entry: /)
    expect(found[0]).toMatch(problem)
  })

  it.each([
    ['lost its last line end in an editor', (text: string) => text.trimEnd()],
    ['was added to by hand without a line end', (text: string) => `${text}\n## 23:59\n\nBy hand`],
    ['was changed by hand at its end', (text: string) => text.replace('green again.', 'blue, without a line end')],
    ['ends in a heading of a hand', (text: string) => `${text}\n## 23:59`],
    ['ends in other Markdown', (text: string) => `${text}\n## Later\n\n- one\n- two`],
  ])('is not one that %s', async (_, change) => {
    expect(await codesAfter(change)).toEqual([])
  })
})
