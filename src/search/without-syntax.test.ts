import { expect, it } from 'vitest'
import { withoutSyntax } from './without-syntax.ts'

it.each([
  ['plain text as it is', '  What is (the) user called?  ', 'What is (the) user called?'],
  ['phrases without quotes', 'say "smoke tests" now', 'say smoke tests now'],
  ['beginnings without the star', 'deploy* fast', 'deploy fast'],
  ['nothing of what is not wanted', 'deploy -friday -"on mondays"', 'deploy'],
  ['a query of exclusions alone as text', '-friday', 'friday'],
  ['flags and numbers as text', 'git push --force -5', 'git push --force -5'],
])('gives %s', (_what, query, text) => {
  expect(withoutSyntax(query)).toBe(text)
})
