/** Who waits for a turn, in the order they came. Whoever gives up while others are served need not wait for a turn. */
export interface Settle<T> {
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

export class TurnQueue<Job extends Settle<never>> {
  readonly #serve: () => Promise<void>
  readonly #waiting: Job[] = []
  #running: Promise<void> = Promise.resolve()
  #busy = false

  /** `serve` takes some of them and settles each. */
  constructor(serve: () => Promise<void>) {
    this.#serve = serve
  }

  wait<T>(signal: AbortSignal | undefined, jobOf: (settle: Settle<T>) => Job): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        const place = this.#waiting.indexOf(job)
        if (place === -1) return
        this.#waiting.splice(place, 1)
        job.reject(signal?.reason)
      }
      const stay = (): void => signal?.removeEventListener('abort', leave)
      const job = jobOf({
        resolve: (value) => {
          stay()
          resolve(value)
        },
        reject: (error) => {
          stay()
          reject(error)
        },
      })
      signal?.addEventListener('abort', leave)
      this.#waiting.push(job)
      if (this.#busy) return
      this.#busy = true
      this.#running = this.#drain()
    })
  }

  /** Those at the front that are of a kind. */
  take(isMeant: (job: Job) => boolean): Job[] {
    const end = this.#waiting.findIndex((job) => !isMeant(job))
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end)
  }

  takeOne(): Job | undefined {
    return this.#waiting.shift()
  }

  async idle(): Promise<void> {
    while (this.#busy) await this.#running
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      try {
        await this.#serve()
      } catch (error) {
        // The lock or the mending before the turn failed: nobody was served.
        for (const job of this.#waiting.splice(0)) job.reject(error)
      }
    }
    this.#busy = false
  }
}
