/** Derived bytes on the server: whole or none, none from before a purge, and nothing left lying about. */
import { describe, expect, it } from 'vitest'
import { RamMemory } from '../../../test/chroma/ram-memory.ts'
import { type Troubles, unreachable } from '../../../test/chroma/ram-shelf.ts'
import type { Derived } from '../../ports/store.ts'
import { chromaDerived, removeDerived } from './derived.ts'

function derivedOn(memory: RamMemory, troubles: Troubles = {}): Derived {
  return chromaDerived(memory.machine(troubles), () => undefined)
}

function made(): RamMemory {
  const memory = new RamMemory()
  memory.make()
  return memory
}

function bytesOf(length: number, fill: number): Uint8Array {
  return new Uint8Array(length).fill(fill)
}

function partsIn(memory: RamMemory): number {
  return [...memory.shelf.records.values()].filter(({ labels }) => labels['kind'] === 'p').length
}

describe('derived bytes', () => {
  it('are not kept before the memory is made, and make none', async () => {
    const memory = new RamMemory()
    expect(await derivedOn(memory).write('index', bytesOf(3, 1))).toBe(false)
    expect(await derivedOn(memory).read('index')).toBeUndefined()
    expect(memory.shelf.records.size).toBe(0)
  })

  it('are read by another machine to the byte, under keys of any kind', async () => {
    const memory = made()
    const keys = ['index', 'Index', 'a/b', 'ü', 'x'.repeat(300), `${'x'.repeat(300)}2`, '語'.repeat(50)]
    const all = Uint8Array.from({ length: 100_000 }, (_, n) => (n * 7) % 256)
    for (const [n, key] of keys.entries()) {
      expect(await derivedOn(memory).write(key, all.subarray(n))).toBe(true)
    }
    for (const [n, key] of keys.entries()) {
      const read = (await derivedOn(memory).read(key)) ?? Buffer.of()
      expect(Buffer.compare(read, all.subarray(n)), key).toBe(0)
    }
  })

  it('leave no parts behind of what they overwrite, also of a writer that was stopped', async () => {
    const memory = made()
    const stopped = derivedOn(memory, {
      before: (request) => {
        if (request.name === 'put') throw unreachable(request)
      },
    })
    expect(await stopped.write('index', bytesOf(200_000, 1))).toBe(false)
    expect(await derivedOn(memory).read('index')).toBeUndefined()
    for (let n = 0; n < 3; n++) expect(await derivedOn(memory).write('index', bytesOf(100_000, 200 + n))).toBe(true)
    expect(partsIn(memory)).toBe(Math.ceil(100_000 / 21_000))
  })

  it("are one writer's, whole, when several machines write at once", async () => {
    const memory = made()
    await derivedOn(memory).write('index', bytesOf(50_000, 9))
    const kept = await Promise.all([1, 2, 3, 4].map((n) => derivedOn(memory).write('index', bytesOf(50_000 + n, n))))
    expect(kept).toContain(true)
    const read = await derivedOn(memory).read('index')
    expect(read && read.length - 50_000).toBe(read?.[0])
    expect(new Set(read).size).toBe(1)
  })

  it('are found by a reader whose parts were replaced while it read', async () => {
    const memory = made()
    await derivedOn(memory).write('index', bytesOf(50_000, 1))
    let isFirst = true
    const reader = derivedOn(memory, {
      before: async ({ name, ids }) => {
        if (name !== 'get' || !ids[0]?.startsWith('g/p/') || !isFirst) return
        isFirst = false
        await derivedOn(memory).write('index', bytesOf(60_000, 2))
      },
    })
    expect((await reader.read('index'))?.length).toBe(60_000)
  })

  it('are none where a part is lost or other than it was', async () => {
    const memory = made()
    await derivedOn(memory).write('index', bytesOf(50_000, 1))
    for (const { id, text, ...rest } of memory.shelf.records.values()) {
      if (id.startsWith('g/p/')) memory.shelf.records.set(id, { id, ...rest, text: text.replace(/^..../, 'AAAA') })
    }
    expect(await derivedOn(memory).read('index')).toBeUndefined()
  })
})

describe('a purge', () => {
  it('lets nothing be written that was made before it', async () => {
    const memory = made()
    const madeFrom = { epoch: memory.epoch, number: 1 }
    memory.epoch = 'second'
    expect(await derivedOn(memory).write('index', bytesOf(10, 1), madeFrom)).toBe(false)
    expect(memory.shelf.records.size).toBe(0)
  })

  it('that comes while bytes are written leaves none of them, wherever it comes', async () => {
    for (let call = 0; ; call++) {
      const memory = made()
      await derivedOn(memory).write('index', Buffer.from('old bytes'))
      let calls = 0
      const writer = derivedOn(memory, {
        before: async () => {
          if (calls++ !== call) return
          memory.epoch = 'second'
          await removeDerived(memory.shelf, 'g')
        },
      })
      const kept = await writer.write('index', Buffer.from('the secret'.repeat(9000)), { epoch: 'first', number: 1 })
      const isPurged = memory.epoch === 'second'
      if (isPurged) expect(await derivedOn(memory).read('index'), `before call ${call}`).toBeUndefined()
      if (isPurged) expect(memory.everything, `before call ${call}`).not.toContain('the secret')
      if (!isPurged) {
        expect(kept).toBe(true)
        break
      }
    }
  })

  it('makes what a stopped writer left count no more', async () => {
    const memory = made()
    let isWritten = false
    const stopped = derivedOn(memory, {
      before: (request) => {
        if (isWritten) throw unreachable(request)
      },
      after: ({ name }) => {
        isWritten ||= name === 'put'
      },
    })
    await stopped.write('index', bytesOf(10, 1))
    memory.epoch = 'second'
    expect(await derivedOn(memory).read('index')).toBeUndefined()
  })

  it('removes all, what unfinished writes left too, also when it was cut short before', async () => {
    for (let calls = 0; ; calls++) {
      const memory = made()
      const stopped = derivedOn(memory, {
        before: (request) => {
          if (request.name === 'put') throw unreachable(request)
        },
      })
      await stopped.write('vectors', bytesOf(50_000, 1))
      await derivedOn(memory).write('index', bytesOf(50_000, 1))
      let left = calls
      const troubles: Troubles = {
        before: (request) => {
          if (left-- <= 0) throw unreachable(request)
        },
      }
      const first = await removeDerived(memory.shelf.another(troubles), 'g').catch(() => 'cut short')
      await removeDerived(memory.shelf, 'g')
      expect(memory.shelf.records.size, `after ${calls} calls`).toBe(0)
      if (first !== 'cut short') break
    }
  })
})
