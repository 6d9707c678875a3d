/**
 * What time it is by the server, without a request each time: it is asked once, and carried on by what has passed here since. Where the two
 * clocks of this machine do not agree on that, it has slept, or somebody has set one of them: then the server is asked again.
 */
import type { Ground } from './replica.ts'

interface Asked {
  readonly serverMs: number
  readonly clockMs: number
  readonly steadyMs: number
}

const AGREE_MS = 60_000

export class ServerClock {
  readonly #ground: Pick<Ground, 'connection' | 'clock'>
  #asked: Promise<Asked> | undefined

  constructor(ground: Pick<Ground, 'connection' | 'clock'>) {
    this.#ground = ground
  }

  /** Milliseconds since 1970. */
  async now(): Promise<number> {
    const { serverMs, clockMs, steadyMs } = await (this.#asked ?? this.#ask())
    const steady = performance.now() - steadyMs
    if (Math.abs(this.#ground.clock() - clockMs - steady) <= AGREE_MS) return serverMs + steady
    return (await this.#ask()).serverMs
  }

  #ask(): Promise<Asked> {
    const { connection, clock } = this.#ground
    const [clockMs, steadyMs] = [clock(), performance.now()]
    const asked = connection.time().then((serverMs) => ({ serverMs, clockMs, steadyMs }))
    this.#asked = asked
    asked.catch(() => {
      if (this.#asked === asked) this.#asked = undefined
    })
    return asked
  }
}
