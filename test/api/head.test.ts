/** HEAD: the status and headers of a GET, the length of its body included, and not a byte of that body. */
import { beforeAll, describe, expect, it } from 'vitest'
import { raw, requestText } from '../http/raw.ts'
import { type ServedPage, servePage, type Visitor, visitor } from './served-page.ts'

let served: ServedPage
let asker: Visitor

beforeAll(async () => {
  served = await servePage()
  asker = await visitor(served)
})

interface Answer {
  readonly status: number | undefined
  readonly headers: string
  readonly body: string
}

async function sent(method: string, path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const { status, text } = await raw(served.port, requestText(served.port, '', { method, path, headers }))
  const [head = '', ...rest] = text.split('\r\n\r\n')
  return { status, headers: head.replace(/^Date: .*$/m, ''), body: rest.join('\r\n\r\n') }
}

describe('HEAD', () => {
  it.each([
    '/',
    '/browse?kind=note',
    '/main.js',
    '/api/v1/workspace',
    '/api/v1/entries?limit=2',
    '/api/v1/entries/Deploys',
    '/api/v1/search?q=heron',
    '/api/v1/openapi.json',
  ])('%s: like GET, without the body', async (path) => {
    const get = await sent('GET', path, asker.headers)
    expect(get.status).toBe(200)
    expect(get.headers).toContain(`Content-Length: ${Buffer.byteLength(get.body, 'latin1')}`)
    expect(await sent('HEAD', path, asker.headers)).toEqual({ ...get, body: '' })
  })

  it.each([
    ['an entry that is not there', '/api/v1/entries/nothing', {}],
    ['a parameter that does not exist', '/api/v1/entries?colour=red', {}],
    ['a path that is not there', '/api/v1/nothing', {}],
    ['a stranger', '/api/v1/entries', { 'Keepsake-Key': 'A'.repeat(32) }],
    ['another Host', '/', { Host: 'evil.example' }],
    ['another Origin', '/api/v1/entries', { Origin: 'https://evil.example' }],
    ['a page of another site', '/', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('%s: refused like GET', async (_, path, headers) => {
    const get = await sent('GET', path, { ...asker.headers, ...headers })
    expect(get.status).toBeGreaterThanOrEqual(400)
    expect(await sent('HEAD', path, { ...asker.headers, ...headers })).toEqual({ ...get, body: '' })
  })

  it('ends at once for live updates', async () => {
    const { status, headers, body } = await sent('HEAD', '/api/v1/events', asker.headers)
    expect([status, body]).toEqual([200, ''])
    expect(headers).toContain('Content-Type: text/event-stream')
  })

  it('is in the Allow header where it is allowed, and only there', async () => {
    expect((await sent('PUT', '/', {})).headers).toContain('Allow: GET, HEAD\r\n')
    expect((await sent('PUT', '/api/v1/workspace', asker.headers)).headers).toContain('Allow: GET, HEAD\r\n')
    expect((await sent('HEAD', '/api/v1/undo', asker.headers)).headers).toContain('Allow: POST\r\n')
    expect((await sent('HEAD', '/mcp', {})).status).toBe(405)
  })
})
