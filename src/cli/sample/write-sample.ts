/**
 * Writes the sample through the library, as agents would have, with a clock that goes along: so it has a past of four weeks, and a log that
 * tells of it. The same each time, but for dates and ids.
 */
import { RecallTally } from '../../memory/recalls.ts'
import { openMemory } from '../../memory.ts'
import { addDays, instant, instantOfLocal, localTime } from '../../model/time.ts'
import type { Act } from './act.ts'
import { dailyLog } from './daily-log.ts'
import { EARLIER, TODAY } from './story.ts'

const MINUTE_MS = 60_000

/** The id of the workspace that it made. */
export async function writeSample(root: string, nowMs: number): Promise<string> {
  let at = nowMs
  const memory = await openMemory({
    workspace: root,
    agent: 'main',
    embeddingModel: 'none',
    clock: () => at,
    recalled: (ids) => tally.count(ids),
  })
  const tally = new RecallTally(memory.store, () => at)
  try {
    const { timezone } = await memory.store.settings()
    for (const [ms, agent, act] of stepsUntil(nowMs, timezone)) {
      at = ms
      await act(memory.as(agent))
      await tally.save()
    }
    return (await memory.store.settings()).id
  } finally {
    await memory.close()
  }
}

type Step = readonly [ms: number, agent: string, act: Act]

function stepsUntil(nowMs: number, zone: string): readonly Step[] {
  const { day: today } = localTime(instant(nowMs), zone)
  const earlier = [...EARLIER, ...dailyLog()].flatMap(([daysAgo, time, agent, act]) =>
    minuteByMinute(Date.parse(instantOfLocal(addDays(today, -daysAgo), time, zone)), agent, act),
  )
  const later = TODAY.flatMap(([minutesAgo, agent, act]) => minuteByMinute(nowMs - minutesAgo * MINUTE_MS, agent, act))
  return [...earlier, ...later].sort(([a], [b]) => a - b)
}

function minuteByMinute(ms: number, agent: string, act: Act | readonly Act[]): Step[] {
  return [act].flat().map((one, index) => [ms + index * MINUTE_MS, agent, one])
}
