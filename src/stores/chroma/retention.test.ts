/** What machines with a wrong clock do to the past of the others, and to their own. When it is cut off otherwise: folding.test.ts. */
import { expect, it } from 'vitest'
import { ramConnection } from '../../../test/chroma/ram-connection.ts'
import { addNotes } from '../../../test/chroma/ram-server.ts'
import { RamShelf } from '../../../test/chroma/ram-shelf.ts'
import { RamVectors } from '../../../test/chroma/ram-vectors.ts'
import { storeOn } from './store.ts'

const DAY_MS = 86_400_000
const YEAR = 365

/** A server with the right time. */
class Server {
  readonly #shelf = new RamShelf()
  #nowMs = Date.parse('2026-03-14T09:26:53.589Z')

  pass(days: number): void {
    this.#nowMs += days * DAY_MS
  }

  /** Writes through a machine whose clock is off by so many days, and folds where that is due. */
  async write(from: number, to: number, offDays: number): Promise<void> {
    const store = this.#open(offDays)
    await addNotes(store, from, to)
    await store.close()
  }

  /** How many changes can still be undone. */
  async kept(): Promise<number> {
    return [...(await this.#open(0).history()).changes].length
  }

  #open(offDays: number): ReturnType<typeof storeOn> {
    const connection = ramConnection(this.#shelf.another(), new RamVectors(), () => this.#nowMs)
    const clock = (): number => this.#nowMs + offDays * DAY_MS
    return storeOn(connection, { clock, timezone: 'UTC', retentionDays: 90 })
  }
}

it.each([-YEAR, YEAR])('takes away nobody’s undo where a machine is off by %i days', async (offDays) => {
  const server = new Server()
  await server.write(1, 150, offDays)
  await server.write(151, 210, 0)
  expect(await server.kept()).toBe(210)
  server.pass(100)
  await server.write(211, 230, offDays)
  await server.write(231, 450, 0)
  expect(await server.kept(), 'and those of the last days').toBeGreaterThanOrEqual(240)
})

it('goes by the server for a machine that is behind, also where it was alone for long', async () => {
  const server = new Server()
  await server.write(1, 150, 0)
  server.pass(100)
  await server.write(151, 190, -YEAR)
  await server.write(191, 400, 0)
  expect(await server.kept()).toBe(250)
})

it('cuts off what a machine that is behind wrote when it is old by the server', async () => {
  const server = new Server()
  await server.write(1, 150, -YEAR)
  server.pass(100)
  await server.write(151, 400, 0)
  expect(await server.kept()).toBe(250)
})
