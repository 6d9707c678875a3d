/** A proxy to a server that cuts a connection around the COMMIT of a write, or forwards nothing. */
import { connect, createServer, type Socket } from 'node:net'
import { afterThisFile } from '../clean-up.ts'

/**
 * `before COMMIT`: the server never sees it. `with COMMIT`: it is passed on, and the connection is cut in the same moment. `after
 * COMMIT`: the server has answered it, and the client never hears of it.
 */
export type CutPoint = 'before COMMIT' | 'with COMMIT' | 'after COMMIT'

/** Sent at the start of every write, and of every read, which has a COMMIT too. */
const [WRITE, READ] = ['FOR UPDATE', 'READ ONLY']
/** As a simple query, and as its answer. */
const [COMMIT, DONE] = [Buffer.from('Q\0\0\0\x0bCOMMIT\0', 'latin1'), Buffer.from('C\0\0\0\x0bCOMMIT\0', 'latin1')]

export class CuttingProxy {
  port = 0
  /** Cuts the next write, once. */
  cutAt: CutPoint | undefined
  /** No more connections after that. */
  isDownAfterCut = false
  cuts = 0
  /** Forwards nothing. */
  isSilent = false
  readonly #sockets = new Set<Socket>()

  async begin(target: number): Promise<this> {
    const server = createServer((client) => {
      const upstream = connect(target, '127.0.0.1')
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket)
        socket.on('error', () => undefined)
        socket.on('close', () => {
          client.destroy()
          upstream.destroy()
        })
      }
      if (this.isDownAfterCut && this.cuts > 0) client.destroy()
      this.#connect(client, upstream)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
    this.port = address.port
    afterThisFile(async () => {
      this.cutAll()
      await new Promise((resolve) => server.close(resolve))
    })
    return this
  }

  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }

  #cut(client: Socket): void {
    if (this.isDownAfterCut) this.cutAll()
    else client.destroy()
  }

  #connect(client: Socket, upstream: Socket): void {
    let isWriting = false
    let point: CutPoint | undefined
    client.on('data', (bytes) => {
      if (this.isSilent) return
      if (bytes.includes(READ)) isWriting = false
      if (bytes.includes(WRITE)) isWriting = true
      const at = isWriting ? bytes.indexOf(COMMIT) : -1
      if (at < 0 || this.cutAt === undefined) {
        upstream.write(bytes)
        return
      }
      point = this.cutAt
      this.cutAt = undefined
      this.cuts++
      upstream.write(point === 'before COMMIT' ? bytes.subarray(0, at) : bytes)
      if (point !== 'after COMMIT') this.#cut(client)
      // `end` lets the server read what was forwarded.
      if (point === 'with COMMIT') upstream.end()
    })
    upstream.on('data', (bytes) => {
      if (this.isSilent) return
      if (point === 'after COMMIT' && bytes.includes(DONE)) this.#cut(client)
      else if (!client.destroyed) client.write(bytes)
    })
  }
}
