/** The memory on the server as what lies beside its entries needs to know it. Types only. */
import type { CallOptions } from '../../ports/store.ts'
import type { Shelf } from './server/shelf.ts'

export interface MemoryPlace {
  readonly generation: string
  readonly epoch: string
}

export interface MemoryGround {
  readonly log: Shelf
  /** As of now; `undefined`: there is no memory yet. */
  find(options?: CallOptions): Promise<MemoryPlace | undefined>
  /** Makes it where there is none. */
  make(options?: CallOptions): Promise<MemoryPlace>
}
