/** What an agent reads before it begins: the topics of the world, its MEMORY.md, and the last days of its log. */

import type { Entry } from '../model/entry.ts'
import { WORLD } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import { wholeNumber } from '../model/number.ts'
import { addDays, localTime, startOfDay } from '../model/time.ts'
import type { CallOptions } from '../ports/store.ts'
import { contextLoad } from '../prompt/context-load.ts'
import type { View } from './view.ts'

export interface BeginningOptions extends CallOptions {
  readonly days?: number
  readonly budgetTokens?: number
}

const DEFAULT_DAYS = 3
const MOST_DAYS = 3660
export const DEFAULT_BUDGET_TOKENS = 8000

export async function beginning(
  view: View,
  options: BeginningOptions,
): Promise<{ readonly text: string; readonly warnings: readonly string[] }> {
  const days = wholeNumber(options.days ?? DEFAULT_DAYS, 'days', 0, MOST_DAYS)
  const budgetTokens = wholeNumber(options.budgetTokens ?? DEFAULT_BUDGET_TOKENS, 'budget', 1, 10_000_000)
  const { timezone: zone } = await view.store.settings()
  const [topics, memory, experiences, problems] = [
    await view.collect({ scopes: [WORLD], kinds: ['topic'] }, options),
    await view.get('MEMORY', options),
    await lastDays(view, days, zone, options),
    await view.store.problems({ scopes: view.scopes, kinds: ['topic', 'memory', 'experience'] }),
  ]
  const warnings = problems.map(({ path, problem }) => `${path}: ${problem}`)
  const last = days > 0 && experiences.length === 0 ? await lastDay(view, zone, options) : undefined
  const shownMemory = memory && memory.content.trim() !== '' ? memory : undefined
  const { text } = contextLoad({
    topics,
    memory: shownMemory,
    experiences,
    lastDay: last,
    zone,
    budgetTokens,
    warnings,
  })
  return { text, warnings }
}

async function lastDays(view: View, days: number, zone: string, options: CallOptions): Promise<Entry[]> {
  if (days === 0) return []
  const first = addDays(localTime(view.now(), zone).day, 1 - days)
  const since = startOfDay(first, zone)
  return view.collect({ scopes: [view.agent], kinds: ['experience'], since }, options)
}

async function lastDay(view: View, zone: string, options: CallOptions): Promise<string | undefined> {
  const now = view.now()
  const heads = await view.store.heads({ scopes: [view.agent], kinds: ['experience'] }, options)
  const times = heads.filter((head) => !isExpired(head, now)).map((head) => head.createdAt)
  const last = times.sort().at(-1)
  return last === undefined ? undefined : localTime(last, zone).day
}
