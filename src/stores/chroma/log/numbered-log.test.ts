import { describe, expect, it } from 'vitest'
import { noAnswer, RamShelf, type Request, unreachable } from '../../../../test/chroma/ram-shelf.ts'
import { isKeepsakeError, KeepsakeError } from '../../../errors.ts'
import { NumberedLog } from './numbered-log.ts'

const PLACE = { generation: 'g', kind: 'c', prefix: 'g/c/' }
const LONG = 'zwölf Boxkämpfer… '.repeat(4000)

function logOn(shelf: RamShelf): NumberedLog {
  return new NumberedLog(shelf, PLACE)
}

async function texts(shelf: RamShelf): Promise<readonly string[] | undefined> {
  const records = await logOn(shelf).read(0)
  return records?.map(({ text }) => text)
}

async function failure(work: Promise<unknown>): Promise<KeepsakeError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isKeepsakeError(error)) throw new Error(`no error of ours: ${error}`)
  return error
}

function isCommit({ name, ids }: Request): boolean {
  return name === 'add' && ids[0]?.startsWith('g/c/') === true
}

describe('appending', () => {
  it('gives a position to the first, and tells the others', async () => {
    const shelf = new RamShelf()
    const logs = [1, 2, 3, 4, 5].map(() => logOn(shelf.another()))
    const outcomes = await Promise.all(logs.map((log, n) => log.append(1, `of ${n}`)))
    expect(outcomes.filter((outcome) => outcome === 'won')).toHaveLength(1)
    expect(await texts(shelf)).toEqual([`of ${outcomes.indexOf('won')}`])
  })

  it('does not add where it sees that the position is taken', async () => {
    const shelf = new RamShelf()
    await logOn(shelf).append(1, 'one')
    const other = shelf.another({
      before: (request) => {
        if (request.name === 'add') throw new Error('added')
      },
    })
    expect(await logOn(other).append(1, LONG)).toBe('lost')
  })

  it('finds out what came of a record whose answer was lost', async () => {
    for (const what of ['before', 'after'] as const) {
      let failures = 3
      const shelf = new RamShelf()
      shelf.troubles = {
        [what]: (request: Request) => {
          if (isCommit(request) && failures-- > 0) throw noAnswer(request)
        },
      }
      expect(await logOn(shelf).append(1, 'one'), what).toBe('won')
      expect(await texts(shelf)).toEqual(['one'])
    }
  })

  it('finds out that it has lost although its answer was lost', async () => {
    const shelf = new RamShelf()
    const slow = shelf.another({
      before: async (request) => {
        if (isCommit(request)) await logOn(shelf).append(1, 'another')
      },
      after: (request) => {
        if (isCommit(request)) throw noAnswer(request)
      },
    })
    expect(await logOn(slow).append(1, LONG)).toBe('lost')
    expect([...shelf.records.keys()], 'and leaves no parts').toEqual(['g/c/1'])
  })

  it('says that it is not known when its patience ends, and the record may come late', async () => {
    let arrive: () => void = () => undefined
    const shelf = new RamShelf()
    const lame = shelf.another({
      late: (request) => (isCommit(request) ? new Promise((resolve) => (arrive = resolve)) : undefined),
    })
    const error = await failure(logOn(lame).append(1, 'late', { patienceMs: 10 }))
    expect(error.data).toMatchObject({ unknown: true })
    expect(error.message).toMatch(/^whether record g\/c\/1 was written is not known: no answer/)
    expect(await texts(shelf)).toEqual([])
    arrive()
    await Promise.resolve()
    expect(await texts(shelf)).toEqual(['late'])
  })

  it('has no more patience than for one request', async () => {
    const lame = new RamShelf().another({
      late: (request) => (isCommit(request) ? new Promise(() => undefined) : undefined),
    })
    const begun = performance.now()
    const error = await failure(logOn(Object.assign(lame, { requestMs: 10 })).append(1, 'late'))
    expect(error.data).toMatchObject({ unknown: true })
    expect(performance.now() - begun).toBeLessThan(2_000)
  })

  it('never takes a position by a record that comes late, not even one that was erased', async () => {
    const late: (() => void)[] = []
    const shelf = new RamShelf()
    const lame = shelf.another({
      late: (request) => (isCommit(request) ? new Promise((resolve) => late.push(resolve)) : undefined),
    })
    await failure(logOn(lame).append(1, 'late', { patienceMs: 10 }))
    const log = logOn(shelf)
    await log.append(1, 'in time')
    await log.append(2, 'second')
    for (const arrive of late.splice(0, 1)) arrive()
    await Promise.resolve()
    expect(await texts(shelf)).toEqual(['in time', 'second'])
    await log.erase((await log.read(0, { most: 1 })) ?? [])
    for (const arrive of late) arrive()
    await Promise.resolve()
    expect(await log.read(0), 'erased').toBeUndefined()
    expect(await log.append(1, 'by a stale writer')).toBe('lost')
    expect(await log.read(1)).toMatchObject([{ position: 2, text: 'second' }])
  })

  it('is certain that nothing was written when it could not be sent, or only its parts were', async () => {
    const shelf = new RamShelf()
    shelf.troubles = {
      before: (request) => {
        if (isCommit(request)) throw unreachable(request)
      },
    }
    expect((await failure(logOn(shelf).append(1, 'one'))).data).not.toMatchObject({ unknown: true })
    shelf.troubles = {
      after: (request) => {
        if (request.name === 'add') throw noAnswer(request)
      },
    }
    expect((await failure(logOn(shelf).append(1, LONG))).data).toMatchObject({ unknown: false })
    shelf.troubles = {}
    expect(await texts(shelf)).toEqual([])
  })

  it('is not certain any more once it was sent, whatever fails later', async () => {
    const shelf = new RamShelf()
    let isDown = false
    shelf.troubles = {
      before: (request) => {
        if (isDown) throw unreachable(request)
      },
      after: (request) => {
        isDown = request.name === 'add'
      },
    }
    expect((await failure(logOn(shelf).append(1, 'one', { patienceMs: 10 }))).data).toMatchObject({ unknown: true })
  })

  it('does not wait when the connection is closed under it', async () => {
    const shelf = new RamShelf()
    let isOpen = true
    shelf.troubles = {
      after: ({ name }) => {
        if (name === 'add') isOpen = false
        if (!isOpen)
          throw new KeepsakeError('CLOSED', 'the connection is closed', { data: { unknown: name === 'add' } })
      },
    }
    const begun = performance.now()
    expect(await failure(logOn(shelf).append(2, 'one'))).toMatchObject({ code: 'CLOSED', data: { unknown: true } })
    expect(performance.now() - begun).toBeLessThan(5000)
  })

  it('heeds the signal until the record is sent, and not after', async () => {
    for (const name of ['get', 'add'] as const) {
      const stop = new AbortController()
      const shelf = new RamShelf()
      shelf.troubles = { before: (request) => void (request.name === name && stop.abort(new Error('stopped'))) }
      const outcome = await logOn(shelf)
        .append(1, 'one', { signal: stop.signal })
        .catch((error: Error) => error.message)
      expect([name, outcome]).toEqual([name, name === 'get' ? 'stopped' : 'won'])
    }
  })
})

describe('reading', () => {
  it('gives what is behind a position, to the first gap, in few requests', async () => {
    const shelf = new RamShelf()
    const log = logOn(shelf)
    await log.fill(
      0,
      Array.from({ length: 700 }, (_, n) => `text ${n + 1}`),
    )
    await shelf.add([{ id: 'g/c/702', text: 'behind a gap', labels: {} }])
    let requests = 0
    shelf.troubles = { before: () => void requests++ }
    const records = await log.read(3)
    expect(records?.map(({ position, text }) => `${position} ${text}`)).toEqual(
      Array.from({ length: 697 }, (_, n) => `${n + 4} text ${n + 4}`),
    )
    expect(requests).toBe(4)
    expect(await log.read(3, { most: 2 })).toHaveLength(2)
    expect(await log.read(700)).toEqual([])
  })

  it('follows a record that it knows, and tells when that one is another', async () => {
    const shelf = new RamShelf()
    const log = logOn(shelf)
    for (const position of [1, 2, 3]) await log.append(position, `text ${position}`, { tag: `tag ${position}` })
    expect(await log.follow({ position: 2, tag: 'tag 2' })).toMatchObject([{ position: 3, tag: 'tag 3' }])
    expect(await log.follow({ position: 3, tag: 'tag 3' })).toEqual([])
    expect(await log.follow({ position: 3, tag: 'of another history' })).toBeUndefined()
    expect(await log.follow({ position: 4, tag: 'lost by the server' })).toBeUndefined()
    await log.fill(
      3,
      Array.from({ length: 100 }, (_, n) => `more ${n}`),
    )
    expect(await log.follow({ position: 1, tag: 'tag 1' })).toHaveLength(102)
    await log.erase((await log.read(0, { most: 2 })) ?? [])
    expect(await log.follow({ position: 1, tag: 'tag 1' })).toBeUndefined()
    expect(await log.follow({ position: 2, tag: 'tag 2' })).toHaveLength(101)
  })

  it('gives nothing where one in the midst was erased, as if the log ended there', async () => {
    for (const erased of [5, 32, 33, 60, 290]) {
      const shelf = new RamShelf()
      const log = logOn(shelf)
      await log.append(1, 'first', { tag: 'first' })
      await log.fill(1, Array(300).fill('more'))
      await log.erase((await log.read(erased - 1, { most: 1 })) ?? [])
      expect(await log.read(0), `${erased}`).toBeUndefined()
      expect(await log.follow({ position: 1, tag: 'first' }), `${erased}`).toBeUndefined()
      expect(await log.read(0, { most: erased - 1 })).toHaveLength(erased - 1)
      expect(await log.read(erased)).toHaveLength(301 - erased)
    }
  })

  it('finds the end of a log of any length in few requests', async () => {
    for (const length of [0, 1, 2, 3, 7, 8, 31, 32, 33, 100, 1023, 1024, 1025, 5000]) {
      const shelf = new RamShelf()
      const log = logOn(shelf)
      if (length > 0) await log.fill(0, Array(length).fill(''))
      let requests = 0
      shelf.troubles = { before: () => void requests++ }
      expect(await log.last()).toBe(length)
      expect(requests).toBeLessThan(7)
      for (const known of [1, length >> 1, length - 1, length])
        if (known <= length && known > 0) expect(await log.last(known), `from ${known}`).toBe(length)
    }
  })
})

describe('a long text', () => {
  it('is read as it was written, also after it was made shorter or longer', async () => {
    const shelf = new RamShelf()
    const log = logOn(shelf)
    await log.append(1, LONG)
    expect(shelf.records.size).toBeGreaterThan(2)
    for (const text of ['short', LONG.slice(1), `${LONG}${LONG}`, 'short again']) {
      const [record] = (await log.read(0)) ?? []
      if (!record) throw new Error('not there')
      await log.rewrite(record, text)
      expect(await log.read(0)).toMatchObject([{ position: 1, tag: record.tag, text }])
    }
    expect([...shelf.records.keys()], 'no parts are left').toEqual(['g/c/1'])
  })

  it('is read anew where it is rewritten or erased between its record and its parts', async () => {
    const shelf = new RamShelf()
    const log = logOn(shelf)
    await log.append(1, LONG)
    const [record] = (await log.read(0)) ?? []
    if (!record) throw new Error('not there')
    for (const [change, expected] of [
      [() => log.rewrite(record, 'short'), [{ text: 'short' }]],
      [() => log.erase([record]), undefined],
    ] as const) {
      await log.rewrite(record, LONG)
      let isDone = false
      const reader = shelf.another({
        before: async ({ ids }) => {
          if (isDone || !ids[0]?.startsWith('g/p/')) return
          isDone = true
          const [now] = (await log.read(0)) ?? []
          if (now) Object.assign(record, now)
          await change()
        },
      })
      const read = await logOn(reader).read(0)
      if (expected) expect(read).toMatchObject(expected)
      else expect(read).toBeUndefined()
    }
  })

  it('is told as damaged where the server lost a part of it or changed one', async () => {
    const shelf = new RamShelf()
    await logOn(shelf).append(1, LONG)
    const part = [...shelf.records.values()].find(({ id }) => id.endsWith('/1'))
    if (!part || part.id === 'g/c/1') throw new Error('no part')
    shelf.records.set(part.id, { ...part, text: part.text.replace('ö', 'ø') })
    expect((await failure(logOn(shelf).read(0))).code).toBe('DAMAGED')
    shelf.records.delete(part.id)
    expect((await failure(logOn(shelf).read(0))).message).toBe(
      'record g/c/1: parts of its text are missing, or not as they were written',
    )
  })
})
