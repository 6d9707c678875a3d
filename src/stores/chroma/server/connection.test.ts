/** What a server can do to a request, on one that only pretends to be there. With a real one: test/chroma/connection.test.ts. */
import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type Meddle, type Meddler, meddler, sendJson } from '../../../../test/chroma/meddler.ts'
import { isKeepsakeError, KeepsakeError } from '../../../errors.ts'
import { type Connection, connect } from './connection.ts'

/** For those that wait for the end of it; all others have plenty. */
const SHORT_MS = 400
const PLENTY_MS = 10_000
const TOKEN = 'very-secret-4711'
const RECORD = { id: 'a', text: 'one', labels: { kind: 'c' } }

const toClose: (() => unknown)[] = []

afterEach(async () => {
  for (const close of toClose.splice(0)) await close()
})

async function server(meddle: Meddle): Promise<Meddler> {
  const made = await meddler(meddle)
  toClose.push(() => made.close())
  return made
}

function client(
  url: string,
  { token, requestMs = PLENTY_MS }: { token?: string; requestMs?: number } = {},
): Connection {
  const place = { url, tenant: 'default_tenant', database: 'default_database', ...(token ? { token } : {}) }
  const connection = connect(place, { requestMs })
  toClose.push(() => connection.close())
  return connection
}

const impatient = (url: string): Connection => client(url, { requestMs: SHORT_MS })

/** All but the request for records is through, however busy the machine is. */
async function prepared(url: string): Promise<Connection> {
  const connection = impatient(url)
  for (let tries = 1; ; tries++) {
    try {
      await connection.prepare()
      return connection
    } catch (error) {
      if (tries === 20) throw error
    }
  }
}

/** What it fails with, with nothing secret in it. */
async function failure(run: () => Promise<unknown>): Promise<KeepsakeError> {
  try {
    await run()
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    expect(`${error.message}${error.hint}${JSON.stringify(error.data)}`).not.toContain(TOKEN)
    expect(error.hint).toMatch(/^[A-Z].*[.?\w]$/)
    return error
  }
  throw new Error('it did not fail')
}

const get = (connection: Connection) => (): Promise<unknown> => connection.log.get(['a'])
const add = (connection: Connection) => (): Promise<unknown> => connection.log.add([RECORD])

/** Only requests for records, so that all before them go well. */
function onRecords(meddle: Meddle): Meddle {
  return (asked, answer) => /\/(?:get|add|upsert|query|delete)$/.test(asked.url ?? '') && meddle(asked, answer)
}

describe('a server that does not answer', () => {
  it('is down: IO, with the reason of the system', async () => {
    const gone = await server(() => false)
    await gone.close()
    for (const call of [get, add]) {
      const error = await failure(call(client(gone.url)))
      expect(error).toMatchObject({ code: 'IO', message: expect.stringContaining('ECONNREFUSED') })
      expect(error.message).toContain(gone.url.replace('http', 'chroma'))
      expect(error.data['unknown']).toBeUndefined()
    }
  })

  it('is not found by its name: IO', async () => {
    const error = await failure(get(client('http://no-such-host.invalid:8000')))
    expect(error).toMatchObject({ code: 'IO', message: expect.stringContaining('no-such-host.invalid') })
  })

  it('takes connections and says nothing: TIMEOUT, and nothing was sent', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    toClose.push(() => silent.close())
    const address = silent.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const error = await failure(add(impatient(`http://127.0.0.1:${address.port}`)))
    expect(error).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining(`within ${SHORT_MS} ms`) })
    expect(error.data['unknown']).toBeUndefined()
  })

  it('goes silent in the midst of things: TIMEOUT, and a write may have been done', async () => {
    const { url } = await server(onRecords(() => true))
    const connection = await prepared(url)
    const [read, write] = await Promise.all([failure(get(connection)), failure(add(connection))])
    expect(read.data['unknown']).toBeUndefined()
    expect(write).toMatchObject({ code: 'TIMEOUT', data: { unknown: true } })
  })

  it('answers half and then nothing: TIMEOUT', async () => {
    const half: Meddle = (_, answer) => {
      answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"ids":["a"')
      return true
    }
    const { url } = await server(onRecords(half))
    const connection = await prepared(url)
    const { url: halfAtFirst } = await server(half)
    const calls = [get(connection), add(connection), get(impatient(halfAtFirst))]
    const [read, write, first] = await Promise.all(calls.map(failure))
    expect(read).toMatchObject({ code: 'TIMEOUT' })
    expect(write).toMatchObject({ code: 'TIMEOUT', data: { unknown: true } })
    expect(first).toMatchObject({ code: 'TIMEOUT' })
  })

  it('breaks off within its answer: IO, a read is asked once more, a write is not', async () => {
    const broken = await server(
      onRecords((_, answer) => {
        answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
        answer.write('{"ids":["a"', () => answer.destroy())
        return true
      }),
    )
    expect(await failure(get(client(broken.url)))).toMatchObject({ code: 'IO' })
    expect(broken.asked.filter((path) => path.endsWith('/get'))).toHaveLength(2)
    expect(await failure(add(client(broken.url)))).toMatchObject({ code: 'IO', data: { unknown: true } })
    expect(broken.asked.filter((path) => path.endsWith('/add'))).toHaveLength(1)
  })

  it('was restarted: a read is asked again, and answered', async () => {
    let calls = 0
    const { url } = await server(
      onRecords((_, answer) => {
        if (++calls === 1) answer.destroy()
        else sendJson(answer, 200, { ids: [], metadatas: [], include: [] })
        return true
      }),
    )
    expect((await client(url).log.get(['a'])).size).toBe(0)
  })
})

describe('a server that refuses', () => {
  it.each([401, 403])('the token with %i: INVALID, and the token is told to nobody', async (status) => {
    const { url, headers } = await server((_, answer) => sendJson(answer, status, { error: 'no' }))
    const error = await failure(get(client(url, { token: TOKEN })))
    expect(error).toMatchObject({ code: 'INVALID', data: { field: 'token' } })
    expect(headers[0]).toMatchObject({ authorization: `Bearer ${TOKEN}`, 'x-chroma-token': TOKEN })
    const none = await failure(get(client(url)))
    expect(none).toMatchObject({ code: 'INVALID', data: { field: 'token' } })
    expect(headers.at(-1)).not.toHaveProperty('authorization')
  })

  it('a write with 403 while reading is allowed: INVALID, certainly not done', async () => {
    const { url } = await server((asked, answer) => {
      if (asked.url?.endsWith('/get')) return sendJson(answer, 200, { ids: [], metadatas: [], include: [] })
      return asked.url?.endsWith('/add') === true && sendJson(answer, 403, { error: 'no' })
    })
    const connection = client(url, { token: TOKEN })
    expect((await connection.log.get(['a'])).size).toBe(0)
    const error = await failure(add(connection))
    expect(error).toMatchObject({ code: 'INVALID', message: expect.stringContaining('default_database') })
    expect(error.data['unknown']).toBeUndefined()
  })

  it('is not followed to where it points: the token stays here', async () => {
    const other = await server(() => false)
    const { url } = await server((asked, answer) => {
      answer.writeHead(307, { location: `${other.url}${asked.url}` }).end()
      return true
    })
    expect(await failure(get(client(url, { token: TOKEN })))).toMatchObject({ code: 'UNSUPPORTED' })
    const { url: later } = await server(
      onRecords((asked, answer) => {
        answer.writeHead(307, { location: `${other.url}${asked.url}` }).end()
        return true
      }),
    )
    expect(await failure(get(client(later, { token: TOKEN })))).toMatchObject({ code: 'IO' })
    expect(other.asked).toEqual([])
  })

  it.each([
    [413, { code: 'IO', hint: expect.stringContaining('8 MB') }, undefined],
    [422, { code: 'IO', message: expect.stringContaining('Quota exceeded: 300') }, undefined],
    [429, { code: 'IO', hint: expect.stringContaining('Wait') }, undefined],
    [400, { code: 'IO', message: expect.stringContaining('Quota exceeded: 300') }, undefined],
    [409, { code: 'IO' }, undefined],
    [500, { code: 'IO', message: expect.stringContaining('Quota exceeded: 300') }, true],
    [503, { code: 'IO' }, true],
  ])('a write with %i: what the server says, and whether it may have been done', async (status, expected, unknown) => {
    const said = status === 413 ? 'too large' : { error: 'Error', message: 'Quota exceeded: 300' }
    const { url } = await server(
      onRecords((_, answer) => {
        if (typeof said !== 'string') return sendJson(answer, status, said)
        answer.writeHead(status).end(said)
        return true
      }),
    )
    const error = await failure(add(client(url)))
    expect(error).toMatchObject(expected)
    expect(error.data['unknown']).toBe(unknown)
  })
})

describe('what is no such server', () => {
  it.each([
    ['one of another version', 404, { detail: 'Not Found' }],
    ['one that has given the version up', 410, { error: 'Unimplemented' }],
    ['one that is too old', 200, '0.5.20'],
    ['something else', 200, { hello: 'world' }],
  ])('%s: UNSUPPORTED', async (_, status, value) => {
    const { url } = await server((__, answer) => sendJson(answer, status, value))
    expect(await failure(get(client(url)))).toMatchObject({ code: 'UNSUPPORTED' })
    expect(await failure(add(client(url)))).toMatchObject({ code: 'UNSUPPORTED' })
  })

  it('a page for people: UNSUPPORTED', async () => {
    const { url } = await server((_, answer) => {
      answer.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')
      return true
    })
    expect(await failure(get(client(url)))).toMatchObject({ code: 'UNSUPPORTED' })
  })

  it('a gateway that has lost the server for a moment: IO, and never a memory that is empty', async () => {
    let isLost = false
    const gateway: Meddle = (_, answer) => {
      if (isLost) answer.writeHead(404, { 'content-type': 'text/plain' }).end('default backend - 404')
      return isLost
    }
    const asked: [RegExp, (connection: Connection) => () => Promise<unknown>, string][] = [
      [/collections\/keepsake-log$/, get, 'IO'],
      [/databases\/[^/]+$/, (connection) => () => connection.prepare(), 'IO'],
      [/tenants\/[^/]+$/, get, 'IO'],
      [/./, get, 'UNSUPPORTED'],
    ]
    for (const [path, call, code] of asked) {
      isLost = true
      const { url } = await server((request, answer) => {
        if (path.test(request.url ?? '')) return gateway(request, answer)
        // The database is asked for where there is no collection.
        return /collections/.test(request.url ?? '') && sendJson(answer, 404, { error: 'NotFoundError' })
      })
      const error = await failure(call(client(url)))
      expect([path, error.code]).toEqual([path, code])
      expect(error.message).toContain('404')
    }
    const { url } = await server(gateway)
    const connection = client(url)
    isLost = false
    await connection.prepare()
    isLost = true
    expect((await failure(get(connection))).code).toBe('IO')
  })

  it('a page in place of records: IO', async () => {
    const { url } = await server(
      onRecords((_, answer) => {
        answer.writeHead(200, { 'content-type': 'application/json' }).end('<h1>Welcome</h1>')
        return true
      }),
    )
    expect(await failure(get(client(url)))).toMatchObject({
      code: 'IO',
      message: expect.stringContaining("can't be read"),
    })
  })
})

describe('a connection', () => {
  it('is refused with a token that others could read on the way', () => {
    const place = { tenant: 'default_tenant', database: 'default_database', token: TOKEN }
    expect(() => connect({ ...place, url: 'http://db.example:8000' })).toThrow(/^token: is not sent/)
    expect(() => connect({ ...place, url: 'https://db.example:8000' })).not.toThrow()
    expect(() => connect({ ...place, url: 'http://127.0.0.1:8000', token: 'a b' })).toThrow('token')
  })

  it('looks at the server once, and again after it could not be reached', async () => {
    const made = await server(onRecords((_, answer) => sendJson(answer, 200, { ids: [], metadatas: [], include: [] })))
    const connection = client(made.url)
    const looks = (): number => made.asked.filter((path) => path.endsWith('/version')).length
    await Promise.all([connection.check(), connection.log.get(['a']), connection.log.get(['b'])])
    expect(looks()).toBe(1)
    made.meddle = onRecords((_, answer) => {
      answer.destroy()
      return true
    })
    await failure(add(connection))
    made.meddle = onRecords((_, answer) => sendJson(answer, 200, { ids: [], metadatas: [], include: [] }))
    await connection.log.get(['a'])
    expect(looks()).toBe(2)
  })

  it('asks no more at once than servers take', async () => {
    let inside = 0
    let most = 0
    const { url } = await server(
      onRecords((_, answer) => {
        most = Math.max(most, ++inside)
        setTimeout(() => {
          inside--
          sendJson(answer, 200, { ids: [], metadatas: [], include: [] })
        }, 5)
        return true
      }),
    )
    const connection = client(url)
    await Promise.all(Array.from({ length: 40 }, () => connection.log.get(['a'])))
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(8)
  })

  it("ends at once when the caller's signal says so, with its reason", async () => {
    const { url } = await server(onRecords(() => true))
    const connection = client(url)
    const giveUp = new AbortController()
    setTimeout(() => giveUp.abort(new Error('enough')), 20)
    await expect(connection.log.get(['a'], { signal: giveUp.signal })).rejects.toThrow('enough')
    await expect(connection.log.get(['a'], { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow(
      'before',
    )
  })

  it('ends what is under way when it is closed', async () => {
    const { url } = await server(onRecords(() => true))
    const connection = client(url)
    const waiting = failure(get(connection))
    setTimeout(() => connection.close(), 20)
    expect(await waiting).toMatchObject({ code: 'CLOSED' })
    expect(await failure(get(connection))).toMatchObject({ code: 'CLOSED' })
  })

  it('leaves open what became of a write that was sent when it is closed or called off, and of no other', async () => {
    const { url } = await server(onRecords(() => true))
    const late = new KeepsakeError('TIMEOUT', 'it took too long', { hint: 'Wait longer.' })
    for (const end of ['close', 'signal'] as const) {
      const connection = client(url)
      await connection.prepare()
      const giveUp = new AbortController()
      const call = { signal: giveUp.signal }
      const [read, write] = [connection.log.get(['a'], call), connection.log.add([RECORD], call)]
      setTimeout(() => (end === 'close' ? connection.close() : giveUp.abort(late)), 50)
      const code = end === 'close' ? 'CLOSED' : 'TIMEOUT'
      const [ofRead, ofWrite] = await Promise.all([failure(() => read), failure(() => write)])
      expect([ofRead.code, ofRead.data['unknown']]).toEqual([code, undefined])
      expect([ofWrite.code, ofWrite.data['unknown']]).toEqual([code, true])
      if (end === 'close') expect((await failure(add(connection))).data['unknown']).toBeUndefined()
    }
  })

  it("tells the server's time, and says so where it does not", async () => {
    const nowMs = Date.parse('2031-03-14T09:26:53.589Z')
    const answers: unknown[] = [{ 'nanosecond heartbeat': nowMs * 1_000_000 + 999_999 }, 'alive']
    const { url } = await server(
      (asked, answer) => /heartbeat$/.test(asked.url ?? '') && sendJson(answer, 200, answers.shift()),
    )
    const connection = client(url)
    expect(Math.abs((await connection.time()) - nowMs)).toBeLessThanOrEqual(1)
    expect(await failure(() => connection.time())).toMatchObject({ code: 'UNSUPPORTED' })
  })
})

describe('an answer that is none', () => {
  it.each([[{}], [{ ids: 'a' }], [{ ids: ['a'] }], [[]], ['x']])('is IO: %j', async (said) => {
    const { url } = await server(onRecords((_, answer) => sendJson(answer, 200, said)))
    const { log, memories } = client(url)
    const calls = [() => log.get(['a']), () => log.find({ kind: 'c' })]
    for (const call of calls) {
      expect(await failure(call)).toMatchObject({
        code: 'IO',
        message: expect.stringContaining("answer can't be read"),
      })
    }
    const { url: withVectors } = await server((asked, answer) => {
      const isMemories = asked.url?.endsWith('/collections/memories') === true
      if (isMemories) return sendJson(answer, 200, { id: '11111111-2222-4333-8444-555555555556', metadata: {} })
      return onRecords((_, records) => sendJson(records, 200, said))(asked, answer)
    })
    const { memories: vectors } = client(withVectors)
    expect(await memories.metadata()).toBeUndefined()
    const one = new Float32Array([1])
    for (const call of [() => vectors.get(['a']), () => vectors.nearest(one, 3, undefined)]) {
      expect(await failure(call)).toMatchObject({
        code: 'IO',
        message: expect.stringContaining("answer can't be read"),
      })
    }
  })

  it('is no raw text of a library where TLS is spoken to a server without it', async () => {
    const { url } = await server(() => false)
    const error = await failure(get(client(url.replace('http:', 'https:'))))
    expect(error).toMatchObject({ code: 'IO', message: expect.stringContaining('it does not take TLS (ERR_SSL_') })
    expect(error.message).not.toContain('\n')
  })
})

describe('what a server says of itself', () => {
  it('is asked for at once, and not one after the other', async () => {
    const waiting: (() => void)[] = []
    const { url } = await server((asked, answer) => {
      const facts = [/\/version$/, /\/tenants\/[^/]+$/, /\/pre-flight-checks$/]
      const at = facts.findIndex((fact) => fact.test(asked.url ?? ''))
      if (at === -1) return false
      const said = ['1.0.0', { name: 'default_tenant' }, { max_batch_size: 10, supports_base64_encoding: true }]
      waiting.push(() => sendJson(answer, 200, said[at]))
      if (waiting.length === facts.length) for (const send of waiting) send()
      return true
    })
    await client(url).check()
    expect(waiting).toHaveLength(3)
  })
})

describe('a collection "memories" that is somebody else\'s', () => {
  const FOREIGN_ID = '99999999-2222-4333-8444-555555555555'
  /** With nothing in it yet. */
  const foreign: Meddle = ({ url = '' }, answer) => {
    if (url.endsWith('/collections/memories')) return sendJson(answer, 200, { id: FOREIGN_ID, metadata: {} })
    return url.endsWith(`${FOREIGN_ID}/count`) && sendJson(answer, 200, 0)
  }

  it('keeps nobody from writing where a memory is', async () => {
    const { url, asked } = await server(foreign)
    const connection = client(url)
    await connection.prepare()
    await connection.refuseForeign()
    expect(asked.filter((path) => path.includes('memories'))).toEqual([])
  })

  it('is never deleted to make room, though it is empty', async () => {
    const { url, asked } = await server(foreign)
    const error = await failure(() => client(url).memories.begin({ keepsake: 'g' }))
    expect(error).toMatchObject({ code: 'FOREIGN', data: { collection: 'memories' } })
    expect(asked.filter((path) => !path.startsWith('GET'))).toEqual([])
  })

  it('is FOREIGN where there is none yet', async () => {
    const { url, asked } = await server((request, answer) => {
      const isLog = request.url?.endsWith('/collections/keepsake-log') === true
      return isLog ? sendJson(answer, 404, { error: 'NotFoundError', message: 'no' }) : foreign(request, answer)
    })
    const connection = client(url)
    for (const call of [() => connection.refuseForeign(), () => connection.prepare()]) {
      expect(await failure(call)).toMatchObject({ code: 'FOREIGN', data: { collection: 'memories' } })
    }
    expect(
      asked.filter((path) => path.startsWith('POST')),
      'and nothing is made',
    ).toEqual([])
  })
})
