/** Moving: an image tells all that a memory is, and a store that adopts it is that memory from then on. */
import { isKeepsakeError } from '../../errors.ts'
import type { Entry } from '../../model/entry.ts'
import type { MemoryImage, Movable, Store } from '../../ports/store.ts'
import { memoryStore } from '../../stores/memory.ts'
import { equal, ok, present, rejects, rejectsWith } from '../assert.ts'
import type { Rule, Trial } from '../harness.ts'
import { asMovable, type CollectedImage, collected, each, imageFrom } from '../images.ts'
import { randomOperations } from '../random-operations.ts'
import { apply, applyOne, changesSince, context, experience, note, scanned, topic, withoutPath } from '../requests.ts'

export function movingRules(seeds: readonly number[], batches: number): readonly Rule[] {
  return [...PLAIN_RULES, ...seeds.map((seed) => randomRule(seed, batches))].map((rule) => ({
    needs: 'movable',
    ...rule,
  }))
}

const PLAIN_RULES: readonly Rule[] = [
  {
    name: 'gives an image of all that it holds, and of nothing that comes later',
    needs: ['movable', 'moveHistory'],
    async run(trial) {
      const store = asMovable(trial.store)
      await fill(store, trial.pass)
      const image = await store.image()
      const first = await collected(image)
      equal(first.entries, (await scanned(store)).map(withoutPath), 'the entries')
      equal(image.cursor, (await store.feed('now')).cursor, 'the cursor')
      equal(
        first.changes.map(({ change }) => change),
        (await changesSince(store)).changes,
        'the changes',
      )
      equal(replayed(first), first.entries, 'what its history comes to')
      ok(first.nextSeq > Math.max(...everSeqs(first)), 'its next seq is past all that were given')
      equal(
        first.sessions.map(({ scope, key }) => [scope, key]),
        [
          ['ada', 'chat'],
          ['main', 'Chat: 1 / ü'],
          ['main', 'chat'],
        ],
        'the sessions',
      )
      equal(await collected(image), first, 'read once more')
      trial.pass(1000)
      await trial.store.sessions.append('main', 'chat', [{ later: true }])
      equal(await collected(image), first, 'read after a transcript went on')
    },
  },
  {
    name: 'adopts every id, seq, time, alias, change and transcript of another store',
    needs: ['movable', 'moveHistory'],
    async run(trial) {
      const store = asMovable(trial.store)
      const { source, image } = await filledSource()
      equal(await store.adopt(imageFrom(image)), { warnings: [] }, 'adopted')
      await sameMemory(store, image)
      equal((await scanned(store)).map(withoutPath), await scanned(source), 'a scan')
      equal(await store.settings(), await source.settings(), 'the settings')
      equal((await changesSince(store)).changes, (await changesSince(source)).changes, 'the feed')
      for (const { scope, key } of image.sessions) {
        const [ours, theirs] = [await store.sessions.read(scope, key), await source.sessions.read(scope, key)]
        equal([ours?.meta, ours?.records], [theirs?.meta, theirs?.records], `session ${key}`)
      }
      equal(await store.sessions.list('main'), await source.sessions.list('main'), 'the list of sessions')
    },
  },
  {
    name: 'goes on from what it adopted: numbers, seqs, names, the past and transcripts',
    needs: ['movable', 'moveHistory'],
    async run(trial) {
      const { source, image } = await filledSource()
      await asMovable(trial.store).adopt(imageFrom(image))
      const { store } = trial
      trial.pass(24 * 60 * 60_000)
      await rejects(apply(store, [note('Renamed')]), 'NAME_TAKEN', 'a name that came along')
      await rejects(apply(store, [note('Deploys')]), 'NAME_TAKEN', 'an alias that came along')
      const { change, entries } = await apply(store, [note('new')])
      equal([change?.number, entries[0]?.seq], [image.number + 1, image.nextSeq], 'number and seq of what comes next')
      const renamed = present(await store.resolve('main', 'Deploys'), 'the entry by its alias')
      const written = await applyOne(
        store,
        { op: 'write', id: renamed.id, content: 'other' },
        {
          [renamed.id]: renamed.revision,
        },
      )
      equal(written.createdAt, renamed.createdAt, 'when it was made')
      const at = present(image.changes[2], 'a change').change.at
      const [then, there] = await Promise.all([store, source].map((one) => one.stateAt(at)))
      equal(then?.map(withoutPath), there?.map(withoutPath), 'the memory as it was')
      const end = present(await source.sessions.read('main', 'chat'), 'the session').records.length
      await store.sessions.append('main', 'chat', [{ n: 'next' }])
      const page = present(await store.sessions.read('main', 'chat'), 'the session that went on')
      equal([page.records.length, page.records.at(-1)], [end + 1, { n: 'next' }], 'the session that went on')
    },
  },
  {
    name: 'adopts a past that begins in the middle',
    needs: ['movable', 'moveHistory'],
    async run(trial) {
      const store = asMovable(trial.store)
      const { image } = await filledSource()
      const cut = 3
      const since = present(image.changes[cut - 1], 'a change').change.at
      const base = replayed({ ...image, changes: image.changes.slice(0, cut) })
      await store.adopt(imageFrom({ ...image, since, base, changes: image.changes.slice(cut) }))
      const { history } = await store.image()
      equal([history.since, history.entries.map(withoutPath).sort(bySeq)], [since, base], 'where it begins')
      equal(
        (await store.changes()).map(({ change }) => change.number),
        image.changes
          .slice(cut)
          .map(({ change }) => change.number)
          .reverse(),
        'the changes that are kept',
      )
      await rejects(store.stateAt('2020-01-01T00:00:00.000Z'), 'NOT_FOUND', 'what was there before')
    },
  },
  {
    name: 'keeps to the byte what a transcript says, also what nobody can read',
    needs: ['movable', 'moveHistory'],
    async run(trial) {
      const store = asMovable(trial.store)
      const { image } = await filledSource()
      const text = new TextEncoder().encode(
        '{"key":"hand","createdAt":"2026-01-01T00:00:00.000Z"}\n{ "n" : 1 }\r\nnot JSON\n[{"n":2},{"n":3}]\n',
      )
      const sessions = [{ scope: 'main', key: 'hand', text }]
      await store.adopt(imageFrom({ ...image, sessions }))
      equal((await collected(await store.image())).sessions, sessions, 'the transcript')
      const page = present(await store.sessions.read('main', 'hand'), 'the session')
      equal(page.records, [{ n: 1 }, { n: 2 }, { n: 3 }], 'its records')
      equal(
        page.broken.map(({ line }) => line),
        [3],
        'its broken lines',
      )
      await store.sessions.append('main', 'hand', [{ n: 4 }])
      const after = present((await collected(await store.image())).sessions[0], 'the transcript that went on').text
      equal(after.slice(0, text.length), text, 'what was there before')
    },
  },
  {
    name: 'keeps a document that came along, and gives it on',
    needs: ['movable', 'moveHistory'],
    async run(trial) {
      const store = asMovable(trial.store)
      const { image } = await filledSource()
      const bytes = new TextEncoder().encode('Keep what matters.\n')
      const files = [{ path: 'directives/memory.md', bytes, entries: [] }]
      await store.adopt(imageFrom({ ...image, files }))
      equal(await store.document('directives/memory.md'), 'Keep what matters.\n', 'the document')
      equal((await collected(await store.image())).files, files, 'the kept files of its image')
    },
  },
  {
    name: 'adopts only where nothing is yet, and leaves what is there',
    needs: ['movable', 'moveHistory'],
    async run(trial) {
      const store = asMovable(trial.store)
      const { image } = await filledSource()
      await apply(store, [note('mine')])
      const before = await collected(await store.image())
      await rejects(store.adopt(imageFrom(image)), 'CONFLICT', 'adopting over an entry')
      equal(await collected(await store.image()), before, 'what was there')
    },
  },
  {
    name: 'adopts all or nothing: what breaks off in the middle leaves nothing, and can be tried again',
    needs: ['movable', 'moveHistory'],
    async run(trial) {
      const store = asMovable(trial.store)
      const { image } = await filledSource()
      const broken = new Error('the source broke off')
      const whole = imageFrom(image)
      async function* breaking(): AsyncGenerator<never> {
        yield* each<never>([])
        throw broken
      }
      for (const row of ['entries', 'sessions', 'files'] as const) {
        const failed = await store.adopt({ ...whole, [row]: breaking }).then(
          () => 'nothing',
          () => 'an error',
        )
        equal(failed, 'an error', `what came of ${row} that break off`)
        equal([await scanned(store), await store.sessions.list('main')], [[], []], 'what is there then')
      }
      await store.adopt(whole)
      await sameMemory(store, image)
    },
  },
  {
    name: 'shows what it built before it is published, and leaves nothing if that is refused',
    needs: ['movable', 'moveHistory'],
    async run(trial) {
      const store = asMovable(trial.store)
      const { image } = await filledSource()
      const refused = new Error('not equal')
      let built: CollectedImage | undefined
      const refuse = async (shown: MemoryImage): Promise<void> => {
        built = await collected(shown)
        throw refused
      }
      await rejectsWith(store.adopt(imageFrom(image), { check: refuse }), refused, 'a refused adoption')
      equal(built, image, 'what it showed')
      equal([await scanned(store), await store.sessions.list('main')], [[], []], 'what is there then')
      await store.adopt(imageFrom(image), { check: async () => undefined })
      await sameMemory(store, image)
    },
  },
  {
    name: 'gives up an image and an adoption when it is told to',
    async run(trial) {
      const store = asMovable(trial.store)
      const { image } = await filledSource()
      const reason = new Error('enough')
      const signal = AbortSignal.abort(reason)
      await rejectsWith(store.image({ signal }), reason, 'an image')
      await rejectsWith(store.adopt(imageFrom(image), { signal }), reason, 'an adoption')
      equal(await scanned(store), [], 'what is there then')
    },
  },
  {
    name: 'has nothing of a purged entry in its image',
    needs: ['movable', 'moveHistory'],
    async run(trial) {
      const store = asMovable(trial.store)
      const { image } = await filledSource()
      await store.adopt(imageFrom(image))
      const entry = present(await store.resolve('main', 'Deploys'), 'the entry')
      await store.purge([entry.id])
      const { entries, base, changes } = await collected(await store.image())
      ok(!JSON.stringify([entries, base, changes]).includes(entry.id), 'nothing tells of it')
    },
  },
  {
    name: 'is what it adopted after a restart',
    needs: ['movable', 'moveHistory', 'durable'],
    async run(trial) {
      const { image } = await filledSource()
      await asMovable(trial.store).adopt(imageFrom(image))
      await trial.reopen()
      await sameMemory(asMovable(trial.store), image)
      equal(await trial.store.problems(), [], 'problems')
      equal((await trial.store.absorb()).changes, [], 'what was absorbed')
    },
  },
]

function randomRule(seed: number, batches: number): Rule {
  return {
    name: `is moved to another store of its kind and to one in RAM after ${batches} random batches (seed ${seed})`,
    async run(trial) {
      const store = asMovable(trial.store)
      const source = randomOperations(seed, batches)
      for (let turn = source.next(); !turn.done; ) {
        trial.pass(1500)
        const { batch, expect } = turn.value
        const applied = await store.apply(batch, expect === undefined ? {} : { expect }).catch((error: unknown) => {
          if (isKeepsakeError(error)) return undefined
          throw error
        })
        turn = source.next(applied?.entries)
      }
      const image = await collected(await store.image())
      equal(replayed(image), image.entries, `seed ${seed}: what its history comes to`)
      const inRam = memoryStore()
      await inRam.adopt(await store.image())
      await sameMemory(inRam, image)
      await withAnother(trial, async (other) => {
        await other.adopt(await inRam.image())
        await sameMemory(other, image)
        equal(await other.problems(), [], 'problems')
      })
    },
  }
}

/** A second store of the same kind, empty. */
async function withAnother(trial: Trial, run: (other: Store & Movable) => Promise<void>): Promise<void> {
  let made = 0
  const other = await trial.harness.open({
    clock: () => Date.parse(trial.now()),
    newId: () => `10000000-0000-7000-8000-${(++made).toString(16).padStart(12, '0')}`,
  })
  try {
    await run(asMovable(other))
  } finally {
    await trial.harness.dispose(other)
  }
}

/** A memory in RAM with something of everything, and its image. */
async function filledSource(): Promise<{ readonly source: Store & Movable; readonly image: CollectedImage }> {
  let ms = Date.parse('2026-02-03T04:05:06.007Z')
  let made = 0
  const source = memoryStore({
    clock: () => ms,
    newId: () => `20000000-0000-7000-8000-${(++made).toString(16).padStart(12, '0')}`,
    settings: { timezone: 'UTC' },
  })
  await fill(source, (passed) => {
    ms += passed
  })
  return { source, image: await collected(await source.image()) }
}

async function fill(store: Store, pass: (ms: number) => unknown): Promise<void> {
  await apply(store, [
    note('Deploys', { aliases: ['ship', 'Ünïcode / 1'], description: 'd: "q"', metadata: { tags: ['t'], n: 1.5 } }),
    note('brief', { expiresAt: '2030-01-01T00:00:00.000Z' }),
    topic('Über uns', { aliases: ['about'], metadata: { m: null } }),
    context('city', 'Berlin', { expiresAt: '2030-01-01T00:00:00.000Z' }),
    { op: 'add', scope: 'main', kind: 'memory', content: 'line one\n\n## two' },
    { op: 'add', scope: 'ada', kind: 'fact', content: 'a fact without a name' },
  ])
  pass(90_000)
  const deploys = present(await store.resolve('main', 'ship'), 'an entry')
  await apply(store, [{ op: 'rename', id: deploys.id, name: 'Renamed' }])
  pass(90_000)
  await apply(store, [experience('one'), experience('two', { createdAt: '2020-02-29T23:59:59.999Z' })])
  pass(90_000)
  const last = await applyOne(store, note('gone soon'))
  pass(90_000)
  await store.apply({
    operations: [{ op: 'remove', id: last.id }],
    origin: { by: 'undo', agent: 'main' },
    reverts: [4],
  })
  await store.sessions.append('main', 'chat', [{ n: 0 }, { n: 1 }])
  await store.sessions.append('main', 'chat', [{ n: 2, text: 'ü\n' }])
  await store.sessions.append('main', 'Chat: 1 / ü', [{ n: 0 }])
  await store.sessions.append('ada', 'chat', [{ n: 0 }])
}

async function sameMemory(store: Movable, expected: CollectedImage): Promise<void> {
  equal(await collected(await store.image()), expected, 'the memory')
}

/** The entries that come out when every change is gone through. */
function replayed({ base, changes }: Pick<CollectedImage, 'base' | 'changes'>): Entry[] {
  const entries = new Map(base.map((entry) => [entry.id, entry]))
  for (const { touched } of changes) {
    for (const { id, after } of touched) {
      if (after) entries.set(id, after)
      else entries.delete(id)
    }
  }
  return [...entries.values()].sort(bySeq)
}

function everSeqs({ changes }: CollectedImage): number[] {
  return changes.flatMap(({ touched }) => touched.flatMap(({ before, after }) => (after ?? before)?.seq ?? []))
}

function bySeq(a: Entry, b: Entry): number {
  return a.seq - b.seq
}
