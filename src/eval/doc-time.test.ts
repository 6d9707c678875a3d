import { describe, expect, it } from 'vitest'
import { parseDocTime } from './doc-time.ts'

describe('the time of a doc', () => {
  it.each([
    ['1:56 pm on 8 May, 2023', '2023-05-08T13:56:00.000Z'],
    ['12:06 am on 11 November, 2022', '2022-11-11T00:06:00.000Z'],
    ['12:30 pm on 1 June, 2023', '2023-06-01T12:30:00.000Z'],
    ['March-15-2024', '2024-03-15T00:00:00.000Z'],
    ['May 3rd, 2024 at 17:05', '2024-05-03T17:05:00.000Z'],
    ['2023/05/20 (Sat) 02:21', '2023-05-20T02:21:00.000Z'],
    ['2023-05-08', '2023-05-08T00:00:00.000Z'],
    ['2023-05-08T10:00:00+02:00', '2023-05-08T08:00:00.000Z'],
    ['Monday, 5 September 2022', '2022-09-05T00:00:00.000Z'],
    ['5 pm, 9 Dec 2022', '2022-12-09T00:00:00.000Z'],
  ])('%s', (text, at) => {
    expect(parseDocTime(text)).toBe(at)
  })

  it.each(['', 'last summer', 'May 2023', '31 February, 2023', '25:99', '8 May', '0000-01-01', '9'.repeat(5000)])(
    'is none in %j',
    (text) => {
      expect(parseDocTime(text)).toBeUndefined()
    },
  )
})
