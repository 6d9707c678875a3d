/** `keepsake hook` on a memory whose server takes its time: the client waits, so the whole answer has a limit, and not each request alone. */
import { afterEach, expect, it } from 'vitest'
import { type Meddler, meddler } from '../chroma/meddler.ts'
import { ask, withCleanEnvironment } from './hook-asking.ts'
import { Desk } from './keepsake.ts'

withCleanEnvironment()

/** Of one request, which may take 2 s. */
const DELAY_MS = 1800

const servers: Meddler[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

/** Each request is answered in time, and all of them together are not. */
async function slowServer(): Promise<string> {
  const real = await meddler((asked, answer) => {
    if (!asked.url?.endsWith('/get')) return false
    const found = { ids: [], metadatas: [], include: ['metadatas'] }
    answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found))
    return true
  })
  const slow = await meddler((asked, answer) => {
    setTimeout(async () => {
      const { method = 'GET', url = '' } = asked
      const said = await fetch(`${real.url}${url}`, { method }).catch(() => undefined)
      if (said) answer.writeHead(said.status, { 'content-type': 'application/json' }).end(await said.text())
    }, DELAY_MS)
    return true
  })
  servers.push(slow, real)
  return slow.url.replace('http', 'chroma')
}

it('gives up on a server that is too slow, and says so', async () => {
  const event = { hook_event_name: 'SessionStart', session_id: 's', source: 'startup' }
  const answer = await ask(new Desk(), event, ['claude', '--workspace', await slowServer()])
  expect(answer).toEqual({ systemMessage: expect.stringMatching(/^keepsake: .* did not answer within/) })
})
