import { describe, expect, it } from 'vitest'
import { englishAnalyzer } from '../search/analyzer.ts'
import { parseQuery } from '../search/query.ts'
import { HitHighlights } from './hit-highlights.ts'

const analyzer = englishAnalyzer()
const FILLER = 'lorem ipsum '

function looking(query: string, nowhere: readonly string[] = []): HitHighlights {
  return new HitHighlights(parseQuery(query, analyzer), analyzer, new Set(nowhere))
}

function marked(content: string, query: string): string[] {
  return looking(query)
    .of(content)
    .map(([start, end]) => content.slice(start, end))
}

describe('the highlights of a long text', () => {
  it('are all of its beginning, and what comes first further on, each in its place', () => {
    const content = `heron ${FILLER.repeat(30_000)} heron ${FILLER.repeat(30_000)} zebra, heron and zebra`
    expect(marked(content, 'heron zebra')).toEqual(['heron', 'zebra', 'heron', 'zebra'])
    expect(marked(content, 'heron')).toEqual(['heron'])
    expect(marked(content, 'heron zeb*')).toEqual(['heron', 'zebra', 'heron', 'zebra'])
    expect(marked(`grey heron ${content}; heron grey. grey zebra`, '"grey zebra"')).toContain('grey zebra')
  })

  it('miss no word at the edge of a part', () => {
    for (let before = 199_992; before < 200_004; before++) {
      expect(marked(`${' '.repeat(before)}zebra ${FILLER.repeat(10)}`, 'zebra')).toEqual(['zebra'])
    }
  })

  it('are found however far, as typed or as a form that begins so, and not within other words', () => {
    const far = `${FILLER.repeat(400_000)} the brunch was deployed, and we run`
    expect(marked(far, 'deployed')).toEqual(['deployed'])
    expect(marked(far, 'Deploys')).toEqual(['deployed'])
    expect(marked(far, 'running')).toEqual(['run'])
    expect(marked(far, 'brunch running')).toEqual(['brunch', 'run'])
    expect(marked(far, '"We run"')).toEqual(['we run'])
  })

  it('are not looked for without end in other forms, in one text or in many', () => {
    expect(marked(`${FILLER.repeat(300_000)} café`, 'cafe')).toEqual([])
    const near = `${FILLER.repeat(60_000)} café`
    const highlights = looking('cafe')
    expect([1, 2, 3, 4, 5, 6].map(() => highlights.of(near).length)).toEqual([1, 1, 1, 0, 0, 0])
  })

  it('are not looked for further on for a word that stands nowhere', () => {
    const content = `heron ${FILLER.repeat(30_000)} zebra`
    expect(looking('heron zebra', ['zebra']).of(content)).toEqual([[0, 5]])
  })
})
