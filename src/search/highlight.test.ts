import { describe, expect, it } from 'vitest'
import { englishAnalyzer } from './analyzer.ts'
import { highlights } from './highlight.ts'
import { parseQuery } from './query.ts'

const english = englishAnalyzer()

/** The text with brackets around each highlight. */
function marked(text: string, asked: string): string {
  let result = ''
  let at = 0
  for (const [start, end] of highlights(text, parseQuery(asked, english), english)) {
    result += `${text.slice(at, start)}[${text.slice(start, end)}]`
    at = end
  }
  return result + text.slice(at)
}

describe('highlights', () => {
  it.each([
    ['We deploy daily.', 'deployment', 'We [deploy] daily.'],
    ['Deploys, deployed', 'deploy', '[Deploys], [deployed]'],
    ['the end of the day', 'the end', 'the [end] of the day'],
    ['Melanie\u2019s dog', 'melanie', '[Melanie]\u2019s dog'],
    ['call getUserById(x)', 'user', 'call get[User]ById(x)'],
    ['call getUserById(x)', 'getUserById', 'call [getUserById](x)'],
    ['see src/a.ts', 'src/a.ts', 'see [src/a.ts]'],
    ['Use C++ or C', 'C++', 'Use [C++] or [C]'],
    ['deployments and depots', 'depl*', '[deployments] and depots'],
    ['happiness is', 'happiness*', '[happiness] is'],
    ['smoke tests, then test smoke', '"smoke tests"', '[smoke tests], then [test] [smoke]'],
    ['The Who and who the', '"the who" band', '[The Who] and who the'],
    ['no smoke. Tests', 'x -smoke', 'no smoke. Tests'],
    ['東京都に行く', '京都', '東[京都]に行く'],
    ['東京都に行く', '東京都', '[東京都]に行く'],
    ['l’e\u0301te\u0301 ﬁnal', 'final', 'l’e\u0301te\u0301 [ﬁnal]'],
    ['nothing here', 'else', 'nothing here'],
    ['', 'deploy', ''],
    ['deploy', '', 'deploy'],
  ])('in %j for %s', (text, asked, expected) => {
    expect(marked(text, asked)).toBe(expected)
  })
})
