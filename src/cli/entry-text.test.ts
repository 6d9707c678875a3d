import { expect, it } from 'vitest'
import { entryOf } from '../../test/cli/found-sample.ts'
import { displayWidth } from './display-width.ts'
import { listText, shortened } from './entry-text.ts'
import { Screen } from './screen.ts'

const SCREEN = new Screen({ hasColor: false, cwd: '/work' })

it('aligns the columns of a list in any script', () => {
  const names = [
    'Deploys',
    '東京の会議',
    '👩\u200d💻 tools',
    'Cafe\u0301',
    'کتاب\u200cها',
    '🇩🇪 trip',
    'x\u200by',
    '東'.repeat(60),
  ]
  const entries = names.map((name, index) => entryOf('text', { name, kind: index % 2 === 0 ? 'note' : 'topic' }))
  const lines = listText(entries, { screen: SCREEN, root: '/work/.keepsake', zone: 'UTC' }).split('\n')
  const starts = lines.map((line) => displayWidth(line.slice(0, line.indexOf('.keepsake/'))))
  expect(new Set(starts).size).toBe(1)
})

it('cuts a title by columns, between characters', () => {
  expect(displayWidth(shortened('東'.repeat(60)))).toBe(47)
  expect(shortened('👩\u200d💻'.repeat(60))).toBe(`${'👩\u200d💻'.repeat(23)}…`)
  expect(shortened('x'.repeat(60))).toBe(`${'x'.repeat(47)}…`)
})
