/** Recall by words on our own set, in any clone: it must not get worse. With the model: project.ci.test.ts. */
import { describe, expect, it } from 'vitest'
import { askAll, type Category, project, scoresIn, separation } from './project.ts'

describe('the set', () => {
  const count = (category: Category): number => project.questions.filter((each) => each.category === category).length
  const ids = project.entries.map(({ id }) => id)

  it('covers eight weeks with at least 120 entries', () => {
    const times = project.entries.map(({ time }) => Date.parse(time))
    expect(ids.length).toBeGreaterThanOrEqual(120)
    expect(new Set(ids).size).toBe(ids.length)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(((times.at(-1) ?? 0) - (times[0] ?? 0)) / (7 * 86_400_000)).toBeGreaterThan(7)
  })

  it('has at least 100 questions, 15 or more per category, with their answers', () => {
    expect(project.questions.length).toBeGreaterThanOrEqual(100)
    for (const category of ['fact', 'date', 'paraphrase', 'name', 'negative'] as const) {
      expect(count(category), category).toBeGreaterThanOrEqual(15)
    }
    for (const { id, category, relevant } of project.questions) {
      expect(relevant.length === 0, id).toBe(category === 'negative')
      expect(
        relevant.filter((each) => !ids.includes(each)),
        id,
      ).toEqual([])
    }
  })
})

describe('recall by words', async () => {
  const answers = await askAll('lexical')

  it.each([
    ['fact', 0.8, 0.84],
    ['date', 0.645, 0.75],
    ['name', 0.86, 0.86],
    ['paraphrase', 0.08, 0.13],
  ] as const)('answers %s questions: nDCG@10 of %d and recall@5 of %d, or better', (category, ndcg, recall) => {
    const scores = scoresIn(category, answers)
    expect(scores['ndcg@10']).toBeGreaterThanOrEqual(ndcg)
    expect(scores['recall@5']).toBeGreaterThanOrEqual(recall)
  })

  // Barely above chance (0.5): recall doesn't say yet that nothing matches. This only keeps it from getting worse.
  it('separates answerable from unanswerable questions by score, no worse than before', () => {
    expect(separation(answers)).toBeGreaterThanOrEqual(0.535)
  })
})
