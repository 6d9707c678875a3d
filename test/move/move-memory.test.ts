// Moving between stores that are in RAM: what a source or a target does meanwhile is in the hands of the test.
import { describe, expect, it } from 'vitest'
import { type MoveStep, moveMemory } from '../../src/move/move-memory.ts'
import type { MemoryImage, Movable, Store } from '../../src/ports/store.ts'
import { type MemoryStore, memoryStore } from '../../src/stores/memory.ts'
import { collected } from '../../src/testing/images.ts'
import { apply, note } from '../../src/testing/requests.ts'
import { sampleStore } from './sample.ts'

/** Calls `meanwhile` when the n-th image is read to the end of its entries. */
function interrupted(store: MemoryStore, meanwhile: (reading: number) => Promise<unknown>): MemoryStore {
  let readings = 0
  return {
    ...store,
    async image(): Promise<MemoryImage> {
      const image = await store.image()
      return {
        ...image,
        async *entries() {
          yield* image.entries()
          await meanwhile(++readings)
        },
      }
    },
  }
}

describe('a move', () => {
  it('copies everything, counts it, and leaves the source as it was', async () => {
    const [from, to] = [await sampleStore(), memoryStore()]
    const before = await collected(await from.image())
    const steps: MoveStep[] = []
    const moved = await moveMemory(from, to, { onProgress: (step) => steps.push(step) })
    expect(moved).toEqual({ entries: 5, changes: 3, sessions: 2, files: 1, warnings: [] })
    expect(await collected(await to.image())).toEqual(before)
    expect(await collected(await from.image())).toEqual(before)
    expect(new Set(steps.map(({ doing }) => doing))).toEqual(new Set(['Copying', 'Comparing']))
    expect(steps.at(-1)).toEqual({ doing: 'Comparing', done: 5, total: 5 })
  })

  it('says that it is there already when it is', async () => {
    const [from, to] = [await sampleStore(), memoryStore()]
    await moveMemory(from, to)
    expect(await moveMemory(from, to)).toMatchObject({
      alreadyThere: true,
      entries: 5,
      changes: 3,
      sessions: 2,
      files: 1,
    })
  })

  it('refuses a target that holds anything else, and changes nothing there', async () => {
    const [from, to] = [await sampleStore(), memoryStore()]
    await moveMemory(from, to)
    await apply(to, [note('more')])
    const before = await collected(await to.image())
    await expect(moveMemory(from, to)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('the last change is 3 here and 4 there'),
    })
    expect(await collected(await to.image())).toEqual(before)
  })

  it('begins anew with what was written meanwhile', async () => {
    const [store, to] = [await sampleStore(), memoryStore()]
    const from = interrupted(store, async (reading) => reading === 1 && (await apply(store, [note('late')])))
    const { warnings, entries } = await moveMemory(from, to)
    expect([warnings, entries]).toEqual([['The source changed while it was being copied; it was copied again.'], 6])
    expect(await collected(await to.image())).toEqual(await collected(await store.image()))
  })

  it('copies one moment of a source that is written to all the time, and says which', async () => {
    const [store, to] = [await sampleStore(), memoryStore()]
    const from = interrupted(store, (reading) => apply(store, [note(`late ${reading}`)]))
    const { warnings } = await moveMemory(from, to)
    expect(warnings).toEqual([
      'The source changed while it was being copied; it was copied again.',
      'The source changed while it was being copied; the copy has it as of change 5.',
    ])
    expect((await to.feed('now')).cursor.number).toBe(5)
  })

  it('says which transcripts went on', async () => {
    const [store, to] = [await sampleStore(), memoryStore()]
    const from = interrupted(
      store,
      async (reading) => reading === 1 && (await store.sessions.append('main', 'chat', [{ late: true }])),
    )
    const { warnings } = await moveMemory(from, to)
    expect(warnings).toEqual([
      'The source\'s session "chat" of main changed while it was being copied; the copy has what was there before.',
    ])
    expect((await to.sessions.read('main', 'chat'))?.records).toHaveLength(2)
  })

  it('discards a copy that differs from its source', async () => {
    const [from, target] = [await sampleStore(), memoryStore()]
    const to: Store & Movable = {
      ...target,
      image: () => target.image(),
      noteBackup: (path) => target.noteBackup(path),
      async adopt(image, options) {
        const lossy = {
          ...image,
          async *sessions() {
            for await (const session of image.sessions()) if (session.scope !== 'ada') yield session
          },
        }
        return target.adopt(lossy, options)
      },
    }
    await expect(moveMemory(from, to)).rejects.toMatchObject({
      code: 'DAMAGED',
      message: expect.stringContaining('session "chat" of ada is only here'),
      data: { differences: ['session "chat" of ada is only here'] },
    })
    expect(await target.heads()).toEqual([])
  })

  it('stops where it is told to', async () => {
    const [store, to] = [await sampleStore(), memoryStore()]
    const stop = new AbortController()
    const from = interrupted(store, async () => stop.abort(new Error('enough')))
    await expect(moveMemory(from, to, { signal: stop.signal })).rejects.toThrow('enough')
    expect(await to.heads()).toEqual([])
  })
})
