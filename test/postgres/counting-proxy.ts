/** A proxy in front of a server that counts round trips, for the tests of a file. */
import { type CountingProxy, startCountingProxy } from '../../scripts/counting-proxy.mjs'
import { afterThisFile } from '../clean-up.ts'

export async function countingProxy(port: number): Promise<CountingProxy> {
  const proxy = await startCountingProxy(port)
  afterThisFile(() => proxy.close())
  return proxy
}
