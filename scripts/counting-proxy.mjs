// A proxy in front of a server that counts round trips: it passes on what the client has sent once nothing more comes. For tests and the bench.
import { connect, createServer } from 'node:net'

const QUIET_MS = 10

/** To a server on this machine. `roundTrips` counts since its last call; `cut` cuts all connections. */
export async function startCountingProxy(port) {
  let count = 0
  const sockets = new Set()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true).on('error', () => undefined)
    }
    let sent = []
    let timer
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
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  return {
    port: server.address().port,
    roundTrips() {
      const counted = count
      count = 0
      return counted
    },
    cut,
    async close() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
