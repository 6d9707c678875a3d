/**
 * Our own labelled recall set: eight weeks of one imaginary project as an agent would have remembered them, in project.json, and
 * questions with the entries that answer them. Some questions have no answer. Asked through the library, as users ask.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { meanScores, type Scores, scoresOf } from '../../src/eval/metrics.ts'
import { memoryStore, openMemory } from '../../src/index.ts'
import type { Kind } from '../../src/model/kinds.ts'
import type { AddOperation } from '../../src/model/operation.ts'
import { instant } from '../../src/model/time.ts'
import type { Embed } from '../../src/ports/embed.ts'
import type { SearchMode } from '../../src/recall/found.ts'

export interface ProjectEntry {
  readonly id: string
  readonly kind: Kind
  readonly time: string
  readonly text: string
  readonly name?: string
  readonly description?: string
  readonly aliases?: readonly string[]
  readonly session?: string
  readonly role?: 'user' | 'assistant'
}

export type Category = 'fact' | 'date' | 'paraphrase' | 'name' | 'negative'

export interface Question {
  readonly id: string
  readonly category: Category
  readonly text: string
  readonly relevant: readonly string[]
}

export interface Project {
  readonly timezone: string
  readonly entries: readonly ProjectEntry[]
  readonly questions: readonly Question[]
}

export const project: Project = JSON.parse(readFileSync(join(import.meta.dirname, 'project.json'), 'utf8'))

export interface Answer {
  readonly question: Question
  /** Ids from project.json, best first. */
  readonly ranked: readonly string[]
  /** Score of the best hit, 0 without one. */
  readonly topScore: number
}

const AGENT = 'main'
const DAY_MS = 86_400_000

/** Asks every question, the day after the last entry. */
export async function askAll(mode: SearchMode, embed?: Embed): Promise<Answer[]> {
  const clock = (): number => Date.parse(project.entries.at(-1)?.time ?? '') + DAY_MS
  const store = memoryStore({ clock, settings: { timezone: project.timezone } })
  const memory = await openMemory({ store, agent: AGENT, clock, embed: embed ?? 'none' })
  try {
    await memory.apply(project.entries.map(addOperation))
    if (embed) await memory.embed()
    const answers: Answer[] = []
    for (const question of project.questions) {
      const { hits } = await memory.search(question.text, { mode, limit: 10 })
      const ranked = hits.map(({ entry }) => setId(entry.id))
      answers.push({ question, ranked, topScore: hits[0]?.score ?? 0 })
    }
    return answers
  } finally {
    await memory.close()
  }
}

function addOperation({ id, kind, time, text, name, description, aliases, session, role }: ProjectEntry): AddOperation {
  const content = role === undefined ? text : `${role}: ${text}`
  return {
    op: 'add',
    id: entryId(id),
    scope: kind === 'topic' ? 'world' : AGENT,
    kind,
    content,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(aliases === undefined ? {} : { aliases }),
    createdAt: instant(Date.parse(time)),
    expiresAt: null,
    origin: { by: 'agent', agent: AGENT, ...(session === undefined ? {} : { session }) },
  }
}

/** A UUID that ends with the number of the id, so that ties are broken the same way in every run. */
function entryId(id: string): string {
  return `00000000-0000-8000-8000-${id.slice(1).padStart(12, '0')}`
}

function setId(id: string): string {
  return `e${id.slice(-3)}`
}

/** The mean over the questions of one category. */
export function scoresIn(category: Category, answers: readonly Answer[]): Scores {
  const inCategory = answers.filter(({ question }) => question.category === category)
  return meanScores(
    inCategory.map(({ question, ranked }) => scoresOf(ranked, new Map(question.relevant.map((id) => [id, 1])))),
  )
}

/**
 * How well the best score separates questions with an answer from those without: the share of all such pairs in which the
 * answerable one scores higher. 0.5 is chance.
 */
export function separation(answers: readonly Answer[]): number {
  const [without, withAnswer] = [true, false].map((isNegative) =>
    answers.filter(({ question }) => (question.category === 'negative') === isNegative).map(({ topScore }) => topScore),
  ) as [number[], number[]] // two values were mapped
  const wins = withAnswer.flatMap((score) => without.map((other) => (score > other ? 1 : score === other ? 0.5 : 0)))
  return wins.reduce((sum: number, each) => sum + each, 0) / wins.length
}
