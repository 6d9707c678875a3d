/** What sessions and derived bytes need of whoever writes. Types only. */
import type { FrameType } from '../../codec/one-file/frame.ts'

export interface Turn {
  /** One frame, and the catalogue takes it in. `durable`: synced and acknowledged when it returns. */
  append(type: FrameType, parts: readonly Uint8Array[], options: { readonly durable: boolean }): Promise<void>
}

export interface Turns {
  /** Under the lock and after what is queued, with the catalogue in step. */
  exclusively<T>(run: (turn: Turn) => Promise<T>, signal?: AbortSignal): Promise<T>
}
