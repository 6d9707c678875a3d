/** What an agent reads before it begins: the topics of the world, its MEMORY.md, and the last days of its log. */

import type { Entry } from '../model/entry.ts'
import { WORLD } from '../model/entry.ts'
import { KIND_NAMES, type Kind } from '../model/kinds.ts'
import { wholeNumber } from '../model/number.ts'
import { oneQuestion } from '../model/one-question.ts'
import { addDays, localTime, startOfDay } from '../model/time.ts'
import type { CallOptions } from '../ports/store.ts'
import { contextLoad } from '../prompt/context-load.ts'
import type { View } from './view.ts'

export interface BeginningOptions extends CallOptions {
  readonly days?: number
  readonly budgetTokens?: number
}

const LOADED: readonly Kind[] = ['topic', 'memory', 'experience']
/** What only a search finds. Of who an agent is, nothing is remembered. */
const OTHERS: readonly Kind[] = KIND_NAMES.filter((kind) => kind !== 'identity' && !LOADED.includes(kind))

const DEFAULT_DAYS = 3
export const MOST_DAYS = 3660
export const DEFAULT_BUDGET_TOKENS = 8000

export async function beginning(
  view: View,
  asked: BeginningOptions,
): Promise<{ readonly text: string; readonly warnings: readonly string[] }> {
  const options = oneQuestion(asked)
  const days = wholeNumber(options.days ?? DEFAULT_DAYS, 'days', 0, MOST_DAYS)
  const budgetTokens = wholeNumber(options.budgetTokens ?? DEFAULT_BUDGET_TOKENS, 'budget', 1, 10_000_000)
  const { timezone: zone } = await view.store.settings()
  const topics = await view.collect({ scopes: [WORLD], kinds: ['topic'] }, options)
  const page = await view.get('MEMORY', options)
  const memory = page && page.content.trim() !== '' ? page : undefined
  const experiences = await lastDays(view, days, zone, options)
  const hasNoLog = experiences.length === 0
  const isEmpty = hasNoLog && topics.length === 0 && memory === undefined
  const kinds = isEmpty ? KIND_NAMES : LOADED
  const warnings = (await view.store.problems({ scopes: view.scopes, kinds })).map(
    ({ path, problem }) => `${path}: ${problem}`,
  )
  const { text } = contextLoad({
    topics,
    memory,
    experiences,
    days,
    lastDay: isEmpty || (hasNoLog && days > 0) ? await lastDay(view, zone, options) : undefined,
    others: isEmpty ? (await view.heads({ kinds: OTHERS }, options)).length : 0,
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
  const heads = await view.heads({ scopes: [view.agent], kinds: ['experience'] }, options)
  const times = heads.map((head) => head.createdAt)
  const last = times.sort().at(-1)
  return last === undefined ? undefined : localTime(last, zone).day
}
