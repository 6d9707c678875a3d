/** A proxy in front of a server that counts round trips: it passes on what the client has sent once nothing more comes. */
import { connect, createServer, type Socket } from 'node:net'
import { afterThisFile } from '../clean-up.ts'

const QUIET_MS = 10

export interface CountingProxy {
  readonly port: number
  /** Since the last call. */
  roundTrips(): number
  /** Cuts all connections. */
  cut(): void
}

export async function countingProxy(port: number): Promise<CountingProxy> {
  let count = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true).on('error', () => undefined)
    }
    let sent: Buffer[] = []
    let timer: NodeJS.Timeout | undefined
    client.on('data', (bytes) => {
      sent.push(bytes)
      clearTimeout(timer)
      timer = setTimeout(() => {
        count++
        upstream.write(Buffer.concat(sent))
        sent = []
      }, QUIET_MS)
    })
    upstream.on('data', (bytes) => client.write(bytes))
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  afterThisFile(async () => {
    cut()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    port: address.port,
    roundTrips() {
      const counted = count
      count = 0
      return counted
    },
    cut,
  }
}
