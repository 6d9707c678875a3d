/** Requests to listen over HTTP: the memory is watched only for those that are accepted. */
import { describe, expect, it } from 'vitest'
import { raw } from '../http/raw.ts'
import { eventually } from './harness.ts'
import { connected, modern, request, serveFurnished } from './http-served.ts'

const LISTEN = { 'Mcp-Method': 'subscriptions/listen', 'Mcp-Name': undefined }

describe('a request to listen', () => {
  it('has the memory watched only when it is taken on, and until it ends', async () => {
    const served = await serveFurnished()
    let watches = 0
    const { store } = served.memory
    const { watch } = store
    store.watch = async (changed) => {
      watches++
      const watching = await watch(changed)
      return {
        stop: async () => {
          watches--
          await watching.stop()
        },
      }
    }
    const refused = modern('subscriptions/listen', {
      notifications: { resourceSubscriptions: ['keepsake://memory', 7] },
    })
    expect((await raw(served.port, request(served.port, refused, { headers: LISTEN }))).text).toContain('-32602')
    expect(watches).toBe(0)
    const client = await connected(served, 'modern')
    const stream = await client.listen({ resourceSubscriptions: ['keepsake://memory'] })
    expect(watches).toBe(1)
    await stream.close()
    expect(
      await eventually(
        () => watches,
        (count) => count === 0,
      ),
    ).toBe(0)
    await client.close()
  })
})
