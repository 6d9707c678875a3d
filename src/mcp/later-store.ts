/**
 * A store that is opened by what is first asked of it. So a client has its list of tools at once, however long the memory
 * takes; and a workspace that can't be opened is told by each tool, in words a model can act on, where a server that ends
 * shows a person just "failed". What failed is tried again by the next call: mended is mended.
 */
import type { Capabilities, Store } from '../ports/store.ts'
import type { NativeVectors } from '../ports/vectors.ts'

export interface LaterOptions {
  /** Whether it will turn out to keep vectors itself: who searches has to know that before it is open. */
  readonly nativeVectors?: boolean
}

export function laterStore(open: () => Promise<Store>, { nativeVectors = false }: LaterOptions = {}): Store {
  let store: Store | undefined
  let opening: Promise<Store> | undefined
  const opened = async (): Promise<Store> => {
    opening ??= open()
    try {
      store = await opening
      return store
    } catch (error) {
      opening = undefined
      throw error
    }
  }
  return {
    get capabilities() {
      return store?.capabilities ?? NOT_YET
    },
    settings: async () => (await opened()).settings(),
    apply: async (...asked) => (await opened()).apply(...asked),
    get: async (...asked) => (await opened()).get(...asked),
    resolve: async (...asked) => (await opened()).resolve(...asked),
    resolveKey: async (...asked) => (await opened()).resolveKey(...asked),
    scan: async function* (...asked) {
      yield* (await opened()).scan(...asked)
    },
    heads: async (...asked) => (await opened()).heads(...asked),
    problems: async (...asked) => (await opened()).problems(...asked),
    feed: async (...asked) => (await opened()).feed(...asked),
    changes: async (...asked) => (await opened()).changes(...asked),
    stateAt: async (...asked) => (await opened()).stateAt(...asked),
    versions: async (...asked) => (await opened()).versions(...asked),
    gone: async (...asked) => (await opened()).gone(...asked),
    absorb: async (...asked) => (await opened()).absorb(...asked),
    purge: async (...asked) => (await opened()).purge(...asked),
    watch: async (...asked) => (await opened()).watch(...asked),
    sessions: {
      append: async (...asked) => (await opened()).sessions.append(...asked),
      read: async (...asked) => (await opened()).sessions.read(...asked),
      readBefore: async (...asked) => (await opened()).sessions.readBefore(...asked),
      list: async (...asked) => (await opened()).sessions.list(...asked),
    },
    derived: {
      read: async (...asked) => (await opened()).derived.read(...asked),
      write: async (...asked) => (await opened()).derived.write(...asked),
    },
    ...(nativeVectors
      ? {
          vectors: laterVectors(
            async () => (await opened()).vectors,
            () => store?.vectors,
          ),
        }
      : {}),
    document: async (...asked) => (await opened()).document(...asked),
    lease: async (...asked) => (await opened()).lease(...asked),
    close: async () => {
      await (await opening?.catch(() => undefined))?.close()
    },
  }
}

function laterVectors(
  find: () => Promise<NativeVectors | undefined>,
  present: () => NativeVectors | undefined,
): NativeVectors {
  const opened = async (): Promise<NativeVectors> => {
    const vectors = await find()
    if (!vectors) throw new Error('this store was to keep vectors itself, and does not')
    return vectors
  }
  return {
    get maxPieces() {
      return present()?.maxPieces
    },
    describe: async (...asked) => (await opened()).describe(...asked),
    status: async (...asked) => (await opened()).status(...asked),
    reset: async (...asked) => (await opened()).reset(...asked),
    pending: async (...asked) => (await opened()).pending(...asked),
    put: async (...asked) => (await opened()).put(...asked),
    prune: async (...asked) => (await opened()).prune?.(...asked),
    read: async (...asked) => (await opened()).read(...asked),
    nearest: async (...asked) => (await opened()).nearest(...asked),
  }
}

const LACK = 'it is not open yet'

const NOT_YET: Capabilities = {
  durable: LACK,
  atomicBatch: LACK,
  sharedByProcesses: LACK,
  nativeSearch: LACK,
  watch: LACK,
  undo: LACK,
  asOf: LACK,
  // Nothing reads these before the store is open. Assuming a lack would skip checks.
  expect: true,
  uniqueNames: true,
  lastingSeq: true,
  history: true,
  purgePast: true,
  moveHistory: true,
  sessions: true,
  leases: true,
  derived: true,
}
