import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RamShelf, unreachable } from '../../../../test/chroma/ram-shelf.ts'
import { type ChromaLeases, chromaLeases } from './leases.ts'

const MINUTE_MS = 60_000

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

function leasesOn(shelf: RamShelf): ChromaLeases {
  return chromaLeases(
    shelf,
    async () => 'g',
    async () => Date.now(),
  )
}

describe('a lease', () => {
  it('is given to one at a time, by name', async () => {
    const shelf = new RamShelf()
    const processes = [1, 2, 3, 4].map(() => leasesOn(shelf.another()))
    const taken = await Promise.all(processes.map(({ lease }) => lease('fold')))
    expect(taken.filter((lease) => lease !== undefined)).toHaveLength(1)
    expect(await leasesOn(shelf).lease('fold')).toBeUndefined()
    expect(await leasesOn(shelf).lease('embed')).toBeDefined()
    expect(await leasesOn(shelf).lease('Fold')).toBeDefined()
    await taken.find((lease) => lease !== undefined)?.release()
    expect(await leasesOn(shelf).lease('fold')).toBeDefined()
  })

  it('is held for as long as its holder lives, and runs out a minute later', async () => {
    const shelf = new RamShelf()
    const holder = shelf.another()
    await leasesOn(holder).lease('fold')
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS)
    expect(await leasesOn(shelf).lease('fold')).toBeUndefined()
    holder.troubles = {
      before: (request) => {
        throw unreachable(request)
      },
    }
    await vi.advanceTimersByTimeAsync(MINUTE_MS - 1)
    expect(await leasesOn(shelf).lease('fold')).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(await leasesOn(shelf).lease('fold')).toBeDefined()
  })

  it('is not taken back by a holder that stood still while another took it', async () => {
    const shelf = new RamShelf()
    const still = shelf.another()
    const lost = await leasesOn(still).lease('fold')
    still.troubles = {
      before: (request) => {
        throw unreachable(request)
      },
    }
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    const next = await leasesOn(shelf).lease('fold')
    expect(next).toBeDefined()
    still.troubles = {}
    await vi.advanceTimersByTimeAsync(MINUTE_MS)
    await lost?.release()
    expect(await leasesOn(shelf).lease('fold')).toBeUndefined()
    await next?.release()
    expect(await leasesOn(shelf).lease('fold')).toBeDefined()
  })

  it('is renewed again once the server answers', async () => {
    const shelf = new RamShelf()
    const holder = shelf.another()
    await leasesOn(holder).lease('fold')
    holder.troubles = {
      before: (request) => {
        throw unreachable(request)
      },
    }
    await vi.advanceTimersByTimeAsync(30_000)
    holder.troubles = {}
    await vi.advanceTimersByTimeAsync(50_000)
    expect(await leasesOn(shelf).lease('fold')).toBeUndefined()
  })

  it('stays given back when it is renewed at that moment', async () => {
    const shelf = new RamShelf()
    let go: () => void = () => undefined
    const holder = shelf.another()
    const held = await leasesOn(holder).lease('fold')
    const waiting = new Promise<void>((resolve) => {
      go = resolve
    })
    holder.troubles = { before: ({ name }) => (name === 'put' ? waiting : undefined) }
    await vi.advanceTimersByTimeAsync(20_000)
    const released = held?.release()
    go()
    await released
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await leasesOn(shelf).lease('fold')).toBeDefined()
  })

  it('is given back by a holder that closes', async () => {
    const shelf = new RamShelf()
    const holder = leasesOn(shelf)
    await holder.lease('fold')
    await holder.lease('embed')
    await holder.close()
    expect(await leasesOn(shelf).lease('fold')).toBeDefined()
    expect(await leasesOn(shelf).lease('embed')).toBeDefined()
  })

  it('is held by the clock of the server, and not for longer than anybody holds one where that was set back', async () => {
    const shelf = new RamShelf()
    const killed = shelf.another()
    await leasesOn(killed).lease('fold')
    killed.troubles = {
      before: (request) => {
        throw unreachable(request)
      },
    }
    vi.setSystemTime(Date.now() - 365 * 24 * 60 * MINUTE_MS)
    expect(await leasesOn(shelf).lease('fold')).toBeDefined()
  })

  it('leaves few records behind, however often it was taken', async () => {
    const shelf = new RamShelf()
    for (let n = 0; n < 50; n++) await (await leasesOn(shelf).lease('fold'))?.release()
    expect(shelf.records.size).toBeLessThan(12)
  })

  it('refuses a name that is none', async () => {
    await expect(leasesOn(new RamShelf()).lease('')).rejects.toMatchObject({ code: 'INVALID' })
  })
})
