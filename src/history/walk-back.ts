/**
 * Back from what is now to where entries were before some changes: what stands in the way, and what a cleanup has removed since.
 * Pure.
 */
import { handlesOf } from '../model/draft.ts'
import type { Entry } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import type { Touched } from '../ports/store.ts'
import { isCleaning } from './cleaning.ts'
import type { VisibleChange } from './log.ts'
import { passedOverBy, type Step, sameState, type Timelines } from './timeline.ts'
import type { Targets } from './undo-history.ts'

interface WalkedBack {
  /** Changes that must go too, because an entry is no longer as a chosen change left it. */
  readonly later: ReadonlySet<number>
  /** The target state of every entry that a chosen change touched. */
  readonly restored: Targets
  /** Of the entries that a cleanup removed since, what they get back: only what has not expired. */
  readonly cleaned: Targets
}

export function walkBack(timelines: Timelines, chosen: ReadonlySet<number>, now: string): WalkedBack {
  const later = new Set<number>()
  const restored = new Map<string, Entry | undefined>()
  const cleaned = new Map<string, Entry | undefined>()
  for (const [id, steps] of timelines) {
    if (!steps.some(({ change }) => chosen.has(change.number))) continue
    const walked = walkBackOne(steps, chosen, now)
    for (const number of walked.later) later.add(number)
    const state = walked.isCleaned && isNothingNow(walked.state, now) ? undefined : walked.state
    restored.set(id, state)
    if (walked.isCleaned) cleaned.set(id, state)
  }
  return { later, restored, cleaned }
}

/**
 * One entry, as far as the oldest chosen step. A cleanup that is not chosen counts as if it had not been: it did what time had done
 * already. Nor does what led to nothing but what it removed.
 */
function walkBackOne(
  steps: readonly Step[],
  chosen: ReadonlySet<number>,
  now: string,
): { readonly state: Entry | undefined; readonly later: readonly number[]; readonly isCleaned: boolean } {
  const isChosen = ({ change }: Step): boolean => chosen.has(change.number)
  const oldest = steps.findIndex(isChosen)
  const later: number[] = []
  let state = steps.at(-1)?.touched.after
  /** Changes since, that nobody has chosen. */
  let since: number[] = []
  let isCleaned = false
  for (let place = steps.length - 1; place >= oldest; place--) {
    const step = steps[place]
    if (!step) break
    const { before, after } = step.touched
    const passed = passedOverBy(steps, place)
    if (isChosen(step)) {
      if (sameState(state, after)) {
        state = before
        since = []
      } else {
        later.push(...since)
      }
    } else if (passed !== undefined && !steps.slice(passed, place).some(isChosen)) {
      place = passed
    } else if (since.length === 0 && !state && isCleaning(step.touched, step.change.at)) {
      state = before
      isCleaned = true
    } else if (since.length === 0 && isCleaned && sameState(state, after) && isNothingNow(before, now)) {
      state = before
    } else if (!isCleaning(step.touched, step.change.at)) {
      since.push(step.change.number)
    }
  }
  return { state, later, isCleaned }
}

/**
 * Later changes that gave a name to someone else that an entry gets back. `then`: the states to come. Where both had the name
 * all along, as files made by hand can, they have it again.
 */
export function takersOf(changes: readonly VisibleChange[], chosen: ReadonlySet<number>, then: Targets): number[] {
  const first = Math.min(...chosen)
  const owners = new Map<string, Set<string>>()
  for (const entry of then.values()) {
    for (const handle of entry ? handlesIn(entry) : []) {
      owners.set(handle, (owners.get(handle) ?? new Set()).add(entry?.id ?? ''))
    }
  }
  const doubled = new Set([...owners].filter(([, ids]) => ids.size > 1).map(([handle]) => handle))
  if (doubled.size === 0) return []
  return changes
    .filter(({ change }) => change.number > first && !chosen.has(change.number))
    .filter(({ touched }) => touched.some((one) => takes(one, doubled, then)))
    .map(({ change }) => change.number)
}

function takes({ id, before, after }: Touched, handles: ReadonlySet<string>, then: Targets): boolean {
  const had = new Set(before ? handlesIn(before) : [])
  const still = then.get(id)
  const kept = new Set(still ? handlesIn(still) : [])
  return (after ? handlesIn(after) : []).some((handle) => handles.has(handle) && !had.has(handle) && kept.has(handle))
}

function handlesIn(entry: Entry): string[] {
  return handlesOf(entry).map((handle) => `${entry.scope}\0${handle}`)
}

/** Nobody would see it. */
export function isNothingNow(state: Entry | undefined, now: string): boolean {
  return !state || isExpired(state, now)
}
