/**
 * A memory's place on a server: two collections, and whether they may be used. What is not there is made before the first write, and by
 * nothing else; what is there and is somebody else's is left as it is.
 */
import { InvalidError } from '../../../errors.ts'
import { addressOf, isPrivateWay, type ServerPlace } from '../../../model/server-address.ts'
import type { CallOptions } from '../../../ports/store.ts'
import { ChromaShelf } from './chroma-shelf.ts'
import { ChromaVectors } from './chroma-vectors.ts'
import { ServerCollection } from './collection.ts'
import { PlaceMaker } from './place-maker.ts'
import { Requests } from './requests.ts'
import { serverTime } from './server-facts.ts'
import type { Shelf } from './shelf.ts'
import type { VectorShelf } from './vector-shelf.ts'

export interface Connection {
  /** For messages. */
  readonly address: string
  readonly log: Shelf
  readonly memories: VectorShelf
  /** Throws what is wrong with the server or the place. Once it was right, nobody asks again until the server can't be reached. */
  check(options?: CallOptions): Promise<void>
  /** Before the first write: what is missing is made. FOREIGN where it is another's. */
  prepare(options?: CallOptions): Promise<void>
  /** FOREIGN where `prepare` would find another's. Makes nothing. */
  refuseForeign(options?: CallOptions): Promise<void>
  /** Milliseconds since 1970 by the server's clock, which all who use it have in common. */
  time(options?: CallOptions): Promise<number>
  /** What is under way ends with CLOSED; a write that was sent may be done all the same, and says so. */
  close(): void
}

const LOG = 'keepsake-log'
const MEMORIES = 'memories'
const REQUEST_MS = 10_000

/** Nobody is asked yet. */
export function connect(place: ServerPlace, options: { readonly requestMs?: number } = {}): Connection {
  checkToken(place)
  const requests = new Requests(place, options.requestMs ?? REQUEST_MS)
  const log = new ServerCollection(requests, LOG)
  const memories = new ServerCollection(requests, MEMORIES)
  const maker = new PlaceMaker(requests, { log, memories })
  return {
    address: addressOf(place),
    log: new ChromaShelf(log, maker),
    memories: new ChromaVectors(memories, maker),
    check: async (called) => void (await requests.check(called)),
    prepare: (called) => maker.prepare(called),
    refuseForeign: async (called) => void (await maker.refuseForeign(called)),
    time: (called) => requests.read(({ signal }) => serverTime(place, signal), called),
    close: () => requests.close(),
  }
}

/** It goes to nobody who could be read on the way. */
function checkToken({ url, token }: ServerPlace): void {
  if (token === undefined) return
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new InvalidError('token', 'is no token', 'visible ASCII characters, no spaces')
  if (isPrivateWay(url)) return
  const problem = `is not sent to ${new URL(url).host}: everybody on the way could read it`
  throw new InvalidError('token', problem, 'a server with TLS (?tls=1), or one on this machine')
}
