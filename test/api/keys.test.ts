/** Who is let in: by a link that works once, by cookie and key together, or by the token; and nobody else. */
import { beforeAll, describe, expect, it } from 'vitest'
import { type ServedPage, servePage, type Visitor, visitor, visitorWith } from './served-page.ts'

const TOKEN = 'a-token-of-sixteen-or-more'

let served: ServedPage
let asker: Visitor

beforeAll(async () => {
  served = await servePage()
  asker = await visitor(served)
})

const status = async (headers: Readonly<Record<string, string>>, of = served): Promise<number> =>
  (await visitorWith(of.origin, headers).get('/workspace')).status

describe('the link', () => {
  it('opens the page once', async () => {
    const secret = served.newLink().split('#key=')[1]
    const stranger = visitorWith(served.origin, {})
    expect((await stranger.ask('POST', '/open', { secret })).status).toBe(200)
    expect((await stranger.ask('POST', '/open', { secret })).status).toBe(401)
  })

  it('works no more when there is a newer one', async () => {
    const [old] = [served.newLink(), served.newLink()]
    const { status: told } = await visitorWith(served.origin, {}).ask('POST', '/open', {
      secret: old.split('#key=')[1],
    })
    expect(told).toBe(401)
  })

  it.each([undefined, null, '', 'x', 42, [], {}])('is not to be guessed: %j', async (secret) => {
    served.newLink()
    expect((await visitorWith(served.origin, {}).ask('POST', '/open', { secret })).status).toBe(401)
  })

  it('has its secret where no browser sends it, and no answer repeats it', async () => {
    const link = served.newLink()
    expect(new URL(link).search).toBe('')
    const secret = link.split('#key=')[1] ?? ''
    expect(secret).toMatch(/^[\w-]{32}$/)
    const { json } = await visitorWith(served.origin, {}).ask('POST', '/open', { secret })
    expect(JSON.stringify(json)).not.toContain(secret)
  })

  it('becomes a cookie that no script reads and no other site sends, for the API alone', async () => {
    const secret = served.newLink().split('#key=')[1]
    const { headers } = await visitorWith(served.origin, {}).ask('POST', '/open', { secret })
    const cookie = headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(new RegExp(`^keepsake-${served.port}=[\\w-]{32}; Path=/api; HttpOnly; SameSite=Strict$`))
  })
})

describe('every other request', () => {
  it('needs the cookie and the key, both of one opening', async () => {
    const { Cookie = '', 'Keepsake-Key': key = '' } = asker.headers
    const other = await visitor(served)
    expect(await status(asker.headers)).toBe(200)
    expect(await status({ Cookie, 'Keepsake-Key': '' })).toBe(401)
    expect(await status({ Cookie, 'Keepsake-Key': other.headers['Keepsake-Key'] ?? '' })).toBe(401)
    expect(await status({ Cookie: `${Cookie}; ${Cookie}`, 'Keepsake-Key': key })).toBe(401)
    expect(await status({ Cookie: `a=b; ${Cookie}`, 'Keepsake-Key': key })).toBe(200)
  })

  it('is not let in by what opened another server', async () => {
    const other = await servePage()
    expect(await status(asker.headers, other)).toBe(401)
  })

  it('is let in by the token where there is one, and then MCP wants it too', async () => {
    const own = await servePage({ token: TOKEN })
    expect(await status({ Authorization: `Bearer ${TOKEN}` }, own)).toBe(200)
    expect((await visitor(own)).headers['Keepsake-Key']).toBeDefined()
    const mcp = await fetch(`${own.origin}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    })
    expect(mcp.status).toBe(401)
  })

  it('lets the first browsers go for later ones, and never holds more than a few', async () => {
    const own = await servePage()
    const first = await visitor(own)
    for (let count = 0; count < 32; count++) await visitor(own)
    expect(await status(first.headers, own)).toBe(401)
  })
})
