/** What a store owes beside entries and sessions: derived bytes, leases, an end, and calls that can be called off. */
import type { Store } from '../../ports/store.ts'
import { equal, ok, present, rejects, rejectsWith } from '../assert.ts'
import type { Rule } from '../harness.ts'
import { apply, applyOne, changesSince, note, scanned } from '../requests.ts'

export const upkeepRules: readonly Rule[] = [
  {
    name: 'keeps derived bytes by key, the last ones written',
    needs: 'derived',
    async run({ store }) {
      await apply(store, [note('a')])
      const { cursor } = await changesSince(store)
      equal(await store.derived.read('index'), undefined, 'before the first write')
      const all = Uint8Array.from({ length: 256 }, (_, n) => n)
      equal(await store.derived.write('index', all), true, 'whether they were kept')
      await store.derived.write('vectors', new Uint8Array([1]))
      equal(bytes(await store.derived.read('index')), [...all], 'index')
      await store.derived.write('index', new Uint8Array([9, 8]))
      equal(bytes(await store.derived.read('index')), [9, 8], 'index, overwritten by fewer')
      equal(bytes(await store.derived.read('vectors')), [1], 'vectors')
      await store.derived.write('vectors', new Uint8Array())
      equal(bytes(await store.derived.read('vectors')), [], 'no bytes at all')
      equal((await changesSince(store, cursor)).changes, [], 'the feed knows nothing of it')
    },
  },
  {
    name: 'keeps no derived bytes that were made before a purge',
    needs: ['derived', 'history'],
    async run({ store }) {
      const a = await applyOne(store, note('a'))
      const { cursor } = await changesSince(store)
      const old = new Uint8Array([1])
      equal(await store.derived.write('index', old, cursor), true, 'before it')
      await store.purge([a.id])
      equal(await store.derived.read('index'), undefined, 'what was kept before it')
      equal(await store.derived.write('index', old, cursor), false, 'made before it, written after it')
      equal(await store.derived.read('index'), undefined, 'after it')
      const { cursor: now } = await changesSince(store)
      equal(await store.derived.write('index', new Uint8Array([2]), now), true, 'made after it')
      equal(bytes(await store.derived.read('index')), [2], 'index')
    },
  },
  {
    name: 'keeps one of the derived bytes that are written at once, whole',
    needs: 'derived',
    async run({ store }) {
      await apply(store, [note('a')])
      const many = Array.from({ length: 8 }, (_, n) => new Uint8Array(100_000).fill(n))
      await Promise.all(many.map((one) => store.derived.write('index', one)))
      const read = bytes(await store.derived.read('index'))
      equal(
        [read.length, read.every((one) => one === read[0])],
        [100_000, true],
        "length, and whether they are one writer's",
      )
    },
  },
  {
    name: 'keeps derived bytes as they were when written',
    needs: 'derived',
    async run({ store }) {
      await apply(store, [note('a')])
      const given = new Uint8Array([1, 2])
      await store.derived.write('index', given)
      given[0] = 99
      const read = present(await store.derived.read('index'), 'index')
      equal([...read], [1, 2], 'after the writer reused its buffer')
      read[1] = 99
      equal(bytes(await store.derived.read('index')), [1, 2], 'after the reader wrote into it')
    },
  },
  {
    name: 'gives a lease to one at a time, and again when it is released',
    needs: 'leases',
    async run({ store }) {
      const first = present(await store.lease('condense-main'), 'the first lease')
      equal(await store.lease('condense-main'), undefined, 'a second holder')
      const other = present(await store.lease('condense-other'), 'a lease of another name')
      await first.release()
      const second = present(await store.lease('condense-main'), 'the lease after its release')
      await first.release()
      equal(await store.lease('condense-main'), undefined, 'after the first holder released it once more')
      await second.release()
      await other.release()
      await present(await store.lease('condense-main'), 'the lease at the end').release()
    },
  },
  {
    name: 'gives a lease to one of many that ask at once',
    needs: 'leases',
    async run({ store }) {
      const leases = await Promise.all(Array.from({ length: 8 }, () => store.lease('work')))
      const held = leases.filter((lease) => lease !== undefined)
      equal(held.length, 1, 'holders')
      await held[0]?.release()
    },
  },
  {
    name: 'refuses every call after close, and closes twice without complaint',
    async run({ store }) {
      await apply(store, [note('a')])
      const lease = store.capabilities.leases === true ? await store.lease('work') : undefined
      await store.close()
      await store.close()
      const calls: Readonly<Record<string, () => Promise<unknown>>> = {
        settings: () => store.settings(),
        apply: () => apply(store, [note('b')]),
        get: () => store.get('x'),
        resolve: () => store.resolve('main', 'a'),
        resolveKey: () => store.resolveKey('main', 'a'),
        scan: () => scanned(store),
        problems: () => store.problems(),
        feed: () => store.feed(),
        changes: () => store.changes(),
        stateAt: () => store.stateAt(0),
        versions: () => store.versions(['x']),
        gone: () => store.gone(),
        'sessions.append': () => store.sessions.append('main', 's', [{}]),
        'sessions.read': () => store.sessions.read('main', 's'),
        'sessions.readBefore': () => store.sessions.readBefore('main', 's'),
        'sessions.list': () => store.sessions.list('main'),
        'derived.read': () => store.derived.read('x'),
        'derived.write': () => store.derived.write('x', new Uint8Array()),
        document: () => store.document('x'),
        lease: () => store.lease('x'),
      }
      for (const [name, call] of Object.entries(calls)) await rejects(call(), 'CLOSED', name)
      await lease?.release()
    },
  },
  {
    name: 'refuses calls whose signal is aborted, with the reason of the signal, and changes nothing',
    async run({ store }) {
      const { history, sessions } = store.capabilities
      await apply(store, [note('a')])
      const reason = new Error('called off')
      const options = { signal: AbortSignal.abort(reason) }
      const calls: Readonly<Record<string, () => Promise<unknown>>> = {
        apply: () => store.apply({ operations: [note('b')], origin: { by: 'hand' } }, options),
        get: () => store.get('x', options),
        resolve: () => store.resolve('main', 'a', options),
        resolveKey: () => store.resolveKey('main', 'a', options),
        scan: () => drain(store, options.signal),
        feed: () => store.feed(undefined, options),
        ...(history === true && {
          changes: () => store.changes({}, options),
          stateAt: () => store.stateAt(0, {}, options),
          versions: () => store.versions(['x'], options),
          gone: () => store.gone({}, options),
        }),
        ...(sessions === true && {
          'sessions.append': () => store.sessions.append('main', 's', [{}], options),
          'sessions.read': () => store.sessions.read('main', 's', 0, options),
          'sessions.readBefore': () => store.sessions.readBefore('main', 's', undefined, options),
          'sessions.list': () => store.sessions.list('main', options),
        }),
      }
      for (const [name, call] of Object.entries(calls)) await rejectsWith(call(), reason, name)
      equal((await scanned(store)).length, 1, 'number of entries')
      if (sessions === true) equal(await store.sessions.list('main'), [], 'sessions')
    },
  },
  {
    name: 'stops a scan when its signal is aborted on the way',
    async run({ store }) {
      await apply(store, [note('a'), note('b'), note('c')])
      const [control, reason] = [new AbortController(), new Error('called off')]
      let seen = 0
      const reading = drain(store, control.signal, () => {
        seen++
        control.abort(reason)
      })
      await rejectsWith(reading, reason, 'scan')
      equal(seen, 1, 'entries seen')
    },
  },
  {
    name: 'lets a scan be left in the middle',
    async run({ store }) {
      await apply(store, [note('a'), note('b')])
      for await (const entry of store.scan()) {
        ok(entry.name === 'a', 'the first entry')
        break
      }
      equal((await scanned(store)).length, 2, 'a new scan')
    },
  },
]

async function drain(store: Store, signal: AbortSignal, visit: () => void = () => undefined): Promise<void> {
  for await (const _ of store.scan({}, { signal })) visit()
}

function bytes(found: Uint8Array | undefined): number[] {
  return [...present(found, 'the bytes')]
}
