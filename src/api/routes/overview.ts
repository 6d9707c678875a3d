/** How the memory is doing: its growth, its limits, what ends next, what nobody ever asked for, how far embedding is. */
import type { Memory } from '../../memory.ts'
import type { EntryHead } from '../../model/entry.ts'
import { isExpired } from '../../model/expiry.ts'
import { addDays, instant, localTime } from '../../model/time.ts'
import { tokensOf } from '../../prompt/budget.ts'
import type { DoctorAnswer, GrowthSeries, Overview } from '../contract.ts'
import { entryRows } from '../entry-rows.ts'
import { AGENT, memoryOf } from '../parameters.ts'
import { type Call, defineRoute, type Route } from '../route.ts'
import { warningsOf } from '../warnings.ts'

const MOST_LISTED = 10
const MOST_DAYS = 366

const overview: Route = defineRoute({
  method: 'GET',
  path: '/overview',
  summary: 'How the memory is doing: growth, limits, what ends next, what was never recalled, how far embedding is',
  query: AGENT,
  answer: 'Overview',
  run: async (asked, call): Promise<Overview> => {
    const memory = await memoryOf(asked, call)
    const { store } = memory
    const { timezone: zone } = await store.settings()
    const now = instant(memory.clock())
    const all = (await store.heads({}, { signal: call.signal })).filter((head) => !isExpired(head, now))
    const visible = all.filter(({ scope }) => scope === 'world' || scope === memory.agent)
    const problems = await store.problems()
    return {
      entries: all.length,
      sessions: await countSessions(memory, call),
      growth: growthOf(all, zone, localTime(now, zone).day),
      memory: await sizeOf(memory),
      expiring: await expiring(memory, visible, call),
      unrecalled: await unrecalled(memory, visible, call),
      embeddings: await embeddingsOf(memory),
      warnings: warningsOf(problems),
    }
  },
})

async function countSessions({ store, agent }: Memory, { signal }: Call): Promise<number> {
  return store.capabilities.sessions === true ? (await store.sessions.list(agent, { signal })).length : 0
}

/** At the end of each day since the first, a year at the most: what is older counts from the first day on. */
function growthOf(heads: readonly EntryHead[], zone: string, today: string): Overview['growth'] {
  const made = heads.map((head) => ({ day: localTime(head.createdAt, zone).day, head }))
  const first = made.reduce((earliest, { day }) => (day < earliest ? day : earliest), today)
  const from = addDays(today, 1 - MOST_DAYS)
  const days: string[] = []
  for (let day = first > from ? first : from; day <= today; day = addDays(day, 1)) days.push(day)
  const indexOf = new Map(days.map((day, index) => [day, index]))
  const seriesBy = (labelOf: (head: EntryHead) => string): GrowthSeries[] => {
    const counts = new Map<string, number[]>()
    for (const { day, head } of made) {
      const label = labelOf(head)
      const perDay = counts.get(label) ?? days.map(() => 0)
      const index = day > today ? days.length - 1 : (indexOf.get(day) ?? 0)
      perDay[index] = (perDay[index] ?? 0) + 1
      counts.set(label, perDay)
    }
    return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([label, perDay]) => ({ label, totals: sums(perDay) }))
  }
  return { days, byKind: seriesBy(({ kind }) => kind), byAgent: seriesBy(({ scope }) => scope) }
}

function sums(counts: readonly number[]): number[] {
  let sum = 0
  return counts.map((count) => {
    sum += count
    return sum
  })
}

async function sizeOf(memory: Memory): Promise<Overview['memory']> {
  const content = (await memory.store.resolve(memory.agent, 'MEMORY'))?.content ?? ''
  return {
    bytes: new TextEncoder().encode(content).length,
    limit: memory.settings.maxMemorySize,
    tokens: tokensOf(content),
  }
}

async function expiring(memory: Memory, heads: readonly EntryHead[], { signal }: Call): Promise<Overview['expiring']> {
  const ending = heads.filter(({ expiresAt }) => expiresAt !== null)
  ending.sort((a, b) => ((a.expiresAt ?? '') < (b.expiresAt ?? '') ? -1 : 1))
  return entryRows(memory, ending.slice(0, MOST_LISTED), signal)
}

/** What stands in every prompt needs no recall. */
const ALWAYS_GIVEN: readonly string[] = ['memory', 'identity']

async function unrecalled(
  memory: Memory,
  heads: readonly EntryHead[],
  { signal }: Call,
): Promise<Overview['unrecalled']> {
  const { since, counts } = await memory.recalls()
  const never = heads.filter(({ id, kind }) => !counts.has(id) && !ALWAYS_GIVEN.includes(kind))
  const oldest = never.slice(0, MOST_LISTED)
  return {
    ...(since === undefined ? {} : { since }),
    total: never.length,
    entries: await entryRows(memory, oldest, signal),
  }
}

async function embeddingsOf(memory: Memory): Promise<Overview['embeddings']> {
  const { model, loaded, entries, pending, refused = [], problem } = await memory.embeddings()
  return {
    ...(model === undefined ? {} : { model }),
    ...{ loaded, entries, pending, refused: refused.length },
    ...(problem === undefined ? {} : { problem }),
  }
}

const doctor: Route = defineRoute({
  method: 'GET',
  path: '/doctor',
  summary: 'Looks at every file and says what is wrong, or may be; changes nothing',
  answer: 'Doctor',
  run: async (_, { served }): Promise<DoctorAnswer> => served.around.doctor(),
})

export const OVERVIEW: readonly Route[] = [overview, doctor]
