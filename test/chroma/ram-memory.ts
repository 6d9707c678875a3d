/** A memory on a shelf in RAM as far as what lies beside its entries needs one: it is made by the first who asks, and can be purged. */
import type { MemoryGround, MemoryPlace } from '../../src/stores/chroma/memory-place.ts'
import { RamShelf, type Troubles } from './ram-shelf.ts'

export class RamMemory {
  readonly shelf: RamShelf = new RamShelf()
  /** As a purge begins another. */
  epoch: string = 'first'
  #isMade = false

  make(): MemoryPlace {
    this.#isMade = true
    return { generation: 'g', epoch: this.epoch }
  }

  /** What a machine stands on, with its own troubles. */
  machine(troubles: Troubles = {}): MemoryGround {
    return {
      log: this.shelf.another(troubles),
      find: async () => (this.#isMade ? this.make() : undefined),
      make: async () => this.make(),
    }
  }

  /** Everything that the server holds, to be searched. */
  get everything(): string {
    return JSON.stringify([...this.shelf.records.values()])
  }
}
