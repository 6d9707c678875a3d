// Free ports on the loopback address, for servers that people and tests start.
import net from 'node:net'

const HOST = '127.0.0.1'

/** Throws if another process listens on it. */
export async function expectFree(port) {
  const server = net.createServer().listen(port, HOST)
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject))
  await new Promise((resolve) => server.close(resolve))
}

/** Below the range for outgoing connections, so that the port stays free while a server restarts. */
export async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const isFree = await expectFree(port).then(
      () => true,
      () => false,
    )
    if (isFree) return port
  }
}
