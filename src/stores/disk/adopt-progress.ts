/** How far the taking over of another store's memory is: told now and then, and others get on meanwhile. */
import { setImmediate as letOthersGo } from 'node:timers/promises'
import type { AdoptOptions, MemoryImage } from '../../ports/store.ts'

const AT_ONCE = 1000

export class AdoptProgress {
  readonly #options: AdoptOptions
  #done = 0
  #total: number

  constructor({ history, cursor }: MemoryImage, options: AdoptOptions) {
    this.#options = options
    this.#total = history.entries.length + cursor.number
  }

  async step(): Promise<void> {
    this.#done++
    this.#total = Math.max(this.#total, this.#done)
    if (this.#done % AT_ONCE !== 0) return
    this.#options.signal?.throwIfAborted()
    this.#options.onProgress?.(this.#done, this.#total)
    await letOthersGo()
  }

  end(): void {
    this.#options.signal?.throwIfAborted()
    this.#options.onProgress?.(this.#done, this.#done)
  }
}
