/** Where a session stands, and what it needs of the memory that it belongs to. Types only. */
import type { Batch } from '../model/operation.ts'
import type { Clock } from '../ports/clock.ts'
import type { Applied, ApplyOptions, CallOptions, Sessions, Store } from '../ports/store.ts'
import type { Asked, Context } from '../prompt/context.ts'
import type { AlreadyShown, Found } from '../recall/found.ts'

/** Where a session's records are. */
export interface TranscriptPlace {
  readonly sessions: Sessions
  readonly agent: string
  readonly key: string
  readonly clock: Clock
}

export interface SessionPlace extends TranscriptPlace {
  readonly store: Pick<Store, 'get' | 'heads' | 'resolve' | 'changes' | 'gone' | 'derived'>
  /** How many exchanges the window holds. */
  readonly windowSize: number
  readonly apply: (batch: Batch, options: ApplyOptions) => Promise<Applied>
  readonly recall: (message: string, options: CallOptions, shown: AlreadyShown) => Promise<Found | undefined>
  readonly zone: () => Promise<string>
  readonly context: (options: Asked & CallOptions, shown: AlreadyShown) => Promise<Context>
}
