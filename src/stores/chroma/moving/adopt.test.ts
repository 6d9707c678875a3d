/** A memory that moves to a server: whoever looks finds none of it or all of it, whenever it is cut short, and nothing is left over. */
import { describe, expect, it } from 'vitest'
import { ramConnection } from '../../../../test/chroma/ram-connection.ts'
import { noAnswer, RamShelf, type Request, type Troubles, unreachable } from '../../../../test/chroma/ram-shelf.ts'
import { isKeepsakeError } from '../../../errors.ts'
import type { MemoryImage } from '../../../ports/store.ts'
import { type CollectedImage, collected, imageFrom } from '../../../testing/images.ts'
import { apply, note } from '../../../testing/requests.ts'
import { memoryStore } from '../../memory.ts'
import { type ChromaStore, storeOn } from '../store.ts'
import { type AdoptGround, adopt } from './adopt.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const NOW_MS = Date.parse('2026-03-14T09:26:53.589Z')

/** Something of everything, with a text that is longer than a record, a past that begins in the middle, and more than one record of changes. */
async function sourceImage(): Promise<CollectedImage> {
  const source = memoryStore({ settings: { timezone: 'UTC' }, clock: () => NOW_MS })
  await apply(source, [note('first', { aliases: ['one'] }), note('long', { content: 'ü long text '.repeat(4000) })])
  for (let n = 0; n < 12; n++) await apply(source, [note(`note ${n}`, { content: `text ${n} `.repeat(400) })])
  await source.sessions.append('main', 'chat', [{ n: 1 }, { text: 'said '.repeat(9000) }])
  await source.sessions.append('ada', 'chat', [{ n: 2 }])
  const image = await collected(await source.image())
  const base = image.changes[0]?.touched.flatMap(({ after }) => after ?? []) ?? []
  return {
    ...image,
    since: image.changes[0]?.change.at,
    base,
    changes: image.changes.slice(1),
    files: [{ path: 'directives/memory.md', bytes: new TextEncoder().encode('Keep it.\n'), entries: [] }],
  }
}

function groundOn(log: RamShelf, clock: () => number = () => NOW_MS): AdoptGround {
  const connection = { prepare: async () => undefined, time: async () => clock() }
  return { log, clock, address: 'chroma://ram', connection }
}

function openOn(log: RamShelf): ChromaStore {
  return storeOn(ramConnection(log), { clock: () => NOW_MS })
}

/** What whoever looks finds there. */
async function told(log: RamShelf): Promise<string> {
  const store = openOn(log.another())
  const image = await collected(await store.image())
  await store.close()
  return image.number === 0 ? 'nothing' : asText(image)
}

/** Two of them are compared a hundred times, which takes long byte by byte. */
function asText(image: CollectedImage): string {
  const sortedKeys = (_: string, value: unknown): unknown => {
    if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  }
  return JSON.stringify(image, sortedKeys)
}

/** Nothing but one memory, or nothing at all. */
function expectNothingElse({ records }: RamShelf): void {
  const root = records.get('root')
  const generations = [...records.values()].map(({ labels }) => labels['g'])
  expect(new Set(generations)).toEqual(new Set(root ? [root.labels['g']] : []))
}

function codeOf(error: unknown): string {
  if (isKeepsakeError(error)) return error.code
  throw error
}

/** From this request on the server can't be reached; `half`: this one is done, and nobody is told. */
function cutAt(step: number, half: boolean): Troubles {
  let requests = 0
  return {
    before(request) {
      if (++requests >= step + (half ? 1 : 0)) throw unreachable(request)
    },
    after(request) {
      if (half && requests === step) throw noAnswer(request)
    },
  }
}

describe('a move to a server', () => {
  it('is the same memory, and leaves nothing else there', async () => {
    const log = new RamShelf()
    const image = await sourceImage()
    const progress: number[] = []
    const options = { onProgress: (done: number) => progress.push(done) }
    expect(await adopt(groundOn(log), imageFrom(image), options)).toEqual({ resumed: false, warnings: [] })
    expect(await told(log)).toBe(asText(image))
    expect(progress.at(-1)).toBeGreaterThan(image.entries.length)
    expectNothingElse(log)
    expect([...log.records.keys()]).not.toContain('adopting')
  })

  it.each([false, true])(
    'can be cut short at every request, and the next one finishes (answers lost: %s)',
    async (half) => {
      const image = await sourceImage()
      let isWhole = 0
      for (let step = 1; ; step++) {
        const log = new RamShelf()
        const outcome = await adopt(groundOn(log.another(cutAt(step, half))), imageFrom(image), {}).then(
          () => '',
          codeOf,
        )
        const isThere = log.records.has('root')
        if (isThere) {
          isWhole++
          expect(await told(log)).toBe(asText(image))
        } else expect(await told(log)).toBe('nothing')
        if (outcome === '') expect(isThere).toBe(true)
        const again = await adopt(groundOn(log), imageFrom(image), {}).then(() => '', codeOf)
        expect([step, again]).toEqual([step, isThere ? 'CONFLICT' : ''])
        expect(await told(log)).toBe(asText(image))
        expectNothingElse(log)
        if (isWhole === 3) break
      }
    },
  )

  it.each([
    ['a minute later', MINUTE_MS],
    ['where the clock of the server was a year ahead then', -365 * DAY_MS],
  ])(
    'waits for nobody who is gone, and never for long: another one that is at it is LOCKED, but not %s',
    async (_, later) => {
      const image = await sourceImage()
      const log = new RamShelf()
      await adopt(groundOn(log.another(cutAt(7, false))), imageFrom(image), {}).catch(codeOf)
      const left = log.records.get('adopting')
      expect(left).toBeDefined()
      const elsewhere = { ...JSON.parse(left?.text ?? ''), by: 'elsewhere:boot:ns:1:2:copy' }
      log.records.set('adopting', { id: 'adopting', text: JSON.stringify(elsewhere), labels: { kind: 'adopting' } })
      const before = new Map(log.records)
      for (const machineMs of [NOW_MS, NOW_MS + 365 * DAY_MS]) {
        const machine = { ...groundOn(log), clock: () => machineMs }
        await expect(adopt(machine, imageFrom(image), {})).rejects.toMatchObject({ code: 'LOCKED' })
      }
      expect(log.records).toEqual(before)
      await adopt(
        groundOn(log, () => NOW_MS + later),
        imageFrom(image),
        {},
      )
      expect(await told(log)).toBe(asText(image))
      expectNothingElse(log)
    },
  )

  it('is a row of records of which each names the one before, so that a lost one is noticed', async () => {
    const image = await sourceImage()
    const log = new RamShelf()
    await adopt(groundOn(log), imageFrom(image), {})
    const of = (kind: string): string[] => [...log.records.keys()].filter((id) => id.includes(`/${kind}/`))
    for (const id of of('z')) log.records.delete(id)
    expect(await told(log), 'told by the log alone').toBe(asText(image))
    const record = log.records.get(of('c').find((id) => id.endsWith('/1')) ?? '')
    if (!record) throw new Error('no first record')
    log.records.set(record.id, { ...record, labels: { ...record.labels, tag: 'of another' } })
    await expect(told(log)).rejects.toMatchObject({ code: 'DAMAGED', message: expect.stringContaining('/c/2 ') })
  })

  it('is one memory when two come at once', async () => {
    const images = [await sourceImage(), await sourceImage()]
    const log = new RamShelf()
    const outcomes = await Promise.all(
      images.map((image) => adopt(groundOn(log.another()), imageFrom(image), {}).then(() => 'moved', codeOf)),
    )
    expect(outcomes.filter((outcome) => outcome === 'moved')).toHaveLength(1)
    expect(await told(log)).toBe(asText(images[outcomes.indexOf('moved')] ?? (await sourceImage())))
    expectNothingElse(log)
  })

  it('says that its outcome is unknown when the answer to the root stays out, and whichever root came first counts', async () => {
    for (const isFirst of [true, false]) {
      const images = [await sourceImage(), await sourceImage()] as const
      const log = new RamShelf()
      let arrive = (): void => undefined
      const arrival = new Promise<void>((resolve) => {
        arrive = resolve
      })
      const late = ({ name, ids }: Request): Promise<void> | undefined =>
        name === 'add' && ids[0] === 'root' ? arrival : undefined
      await expect(adopt(groundOn(log.another({ late })), imageFrom(images[0]), {})).rejects.toMatchObject({
        code: 'IO',
        data: { unknown: true },
      })
      const second = log.another({
        async before({ name, ids }) {
          if (!isFirst || name !== 'add' || ids[0] !== 'root') return
          arrive()
          await arrival
        },
      })
      const outcome = await adopt(groundOn(second), imageFrom(images[1]), {}).then(() => 'moved', codeOf)
      arrive()
      await arrival
      expect(outcome).toBe(isFirst ? 'CONFLICT' : 'moved')
      expect(await told(log)).toBe(asText(images[isFirst ? 0 : 1]))
      await adopt(groundOn(log), imageFrom(images[1]), {}).catch(codeOf)
      expectNothingElse(log)
    }
  })

  it('says that its outcome is unknown when the root can not be read back, and it is there', async () => {
    const image = await sourceImage()
    const log = new RamShelf()
    let isSent = false
    const broken = log.another({
      before(request) {
        if (isSent) throw unreachable(request)
        isSent = request.name === 'add' && request.ids[0] === 'root'
      },
    })
    await expect(adopt(groundOn(broken), imageFrom(image), {})).rejects.toMatchObject({
      code: 'IO',
      data: { unknown: true },
    })
    expect(await told(log)).toBe(asText(image))
  })

  it('is no memory where the server has lost one of its records', async () => {
    const image = await sourceImage()
    const log = new RamShelf()
    const losing = log.another({
      after({ name, ids }) {
        if (name === 'add' && ids.some((id) => id.includes('/c/'))) log.records.delete(ids.at(-1) ?? '')
      },
    })
    await expect(adopt(groundOn(losing), imageFrom(image), {})).rejects.toMatchObject({ code: 'IO' })
    expect(log.records.size).toBe(0)
  })

  it.each<[string, (image: CollectedImage) => MemoryImage]>([
    ['tells other entries than its changes', (image) => imageFrom({ ...image, entries: image.entries.slice(1) })],
    ['has changes out of order', (image) => imageFrom({ ...image, changes: [...image.changes].reverse() })],
    ['has settings that are none', (image) => imageFrom({ ...image, settings: { ...image.settings, timezone: '' } })],
  ])('is refused where the source %s', async (_, odd) => {
    const log = new RamShelf()
    const image = odd(await sourceImage())
    await expect(adopt(groundOn(log), image, {})).rejects.toMatchObject({ code: 'DAMAGED' })
    expect(log.records.size).toBe(0)
  })

  it('gives up at once and leaves nothing when it is told to in the middle', async () => {
    const log = new RamShelf()
    const controller = new AbortController()
    const reason = new Error('enough')
    const image: MemoryImage = {
      ...imageFrom(await sourceImage()),
      async *sessions() {
        yield* []
        controller.abort(reason)
      },
    }
    await expect(adopt(groundOn(log), image, { signal: controller.signal })).rejects.toBe(reason)
    expect(log.records.size).toBe(0)
  })
})
