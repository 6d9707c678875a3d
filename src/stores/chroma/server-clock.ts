/**
 * What time it is by the server, without a request each time: it is asked once, and carried on by what has passed here since. Two clocks
 * tell that, and the later one counts: one stands still while a machine sleeps, the other may be put back.
 */
import type { Ground } from './replica.ts'

interface Asked {
  readonly serverMs: number
  readonly clockMs: number
  readonly steadyMs: number
}

export class ServerClock {
  readonly #ground: Pick<Ground, 'connection' | 'clock'>
  #asked: Promise<Asked> | undefined

  constructor(ground: Pick<Ground, 'connection' | 'clock'>) {
    this.#ground = ground
  }

  /** Milliseconds since 1970. */
  async now(): Promise<number> {
    this.#asked ??= this.#ask().catch((error: unknown) => {
      this.#asked = undefined
      throw error
    })
    const { serverMs, clockMs, steadyMs } = await this.#asked
    return serverMs + Math.max(this.#ground.clock() - clockMs, performance.now() - steadyMs)
  }

  async #ask(): Promise<Asked> {
    const { connection, clock } = this.#ground
    const [clockMs, steadyMs] = [clock(), performance.now()]
    return { serverMs: await connection.time(), clockMs, steadyMs }
  }
}
