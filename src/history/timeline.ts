/**
 * What happened to one entry, step by step. An undo that brought it back to where it was before some step passes over all between:
 * that is as if it had not been, until the undo is undone itself, which passes over the undo. Pure.
 */
import type { Entry } from '../model/entry.ts'
import type { Change } from '../model/operation.ts'
import type { Recorded, Touched } from '../ports/store.ts'

export interface Step {
  readonly change: Change
  readonly touched: Touched
}

export interface StepInForce extends Step {
  /** It is an undo that passes over what came before it. */
  readonly passes: boolean
}

/** By entry, oldest first. */
export type Timelines = ReadonlyMap<string, readonly Step[]>

export function timelinesOf(changes: readonly Recorded[]): Timelines {
  const timelines = new Map<string, Step[]>()
  for (const { change, touched } of changes) {
    for (const one of touched) {
      const steps = timelines.get(one.id)
      if (steps) steps.push({ change, touched: one })
      else timelines.set(one.id, [{ change, touched: one }])
    }
  }
  return timelines
}

/** The first step that the one at this place passes over; `undefined` where it is no undo, or did not bring the entry back. */
export function passedOverBy(steps: readonly Step[], place: number): number | undefined {
  const step = steps[place]
  const reverts = step?.change.reverts
  if (!step || !reverts) return undefined
  const first = steps.findIndex(({ change }) => reverts.includes(change.number))
  const before = steps[first]?.touched.before
  return first >= 0 && first < place && sameState(step.touched.after, before) ? first : undefined
}

/** What counts of it, newest first: nothing that was passed over. */
export function inForce(steps: readonly Step[]): readonly StepInForce[] {
  const left: StepInForce[] = []
  for (let place = steps.length - 1; place >= 0; place--) {
    const step = steps[place]
    const first = passedOverBy(steps, place)
    if (step) left.push({ ...step, passes: first !== undefined })
    if (first !== undefined) place = first
  }
  return left
}

export function sameState(a: Entry | undefined, b: Entry | undefined): boolean {
  return a?.revision === b?.revision && a?.kind === b?.kind && a?.scope === b?.scope
}
