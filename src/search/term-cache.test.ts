import { expect, it } from 'vitest'
import { TermCache } from './term-cache.ts'

it('gives the right term for more spellings than it can hold, and asks for most of them once', () => {
  let asked = 0
  const cache = new TermCache((spelling) => {
    asked++
    return spelling.toUpperCase()
  })
  const text = Array.from({ length: 200_000 }, (_, at) => `word${at.toString(36)}`).join(' ')
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf(' ', start) < 0 ? text.length : text.indexOf(' ', start)
    const spelling = text.slice(start, end)
    const term = spelling.toUpperCase()
    if (cache.get(text, start, end) !== term || cache.get(`x${spelling}`, 1, spelling.length + 1) !== term) {
      expect.fail(`a wrong term for ${spelling}`)
    }
    start = end + 1
  }
  expect(asked).toBe(200_000)
})

it('forgets what came first when there is no room', () => {
  let asked = 0
  const cache = new TermCache((spelling) => {
    asked++
    return spelling
  })
  cache.get('first', 0, 5)
  for (let at = 0; at < 500_000; at++) cache.get(`w${at}`, 0, `w${at}`.length)
  const before = asked
  expect(cache.get('first', 0, 5)).toBe('first')
  expect(asked).toBe(before + 1)
})
