/** A reader that comes while a writer folds or purges the past: it read the checkpoint that was, and finds the journal that is. */
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkpointPath } from './checkpoint.ts'
import { Follower } from './follower.ts'
import { Journal } from './journal.ts'
import { type FilesystemStore, filesystemStore } from './store.ts'

const DAY_MS = 86_400_000

let root: string
let state: string
let now = Date.parse('2026-01-01T10:00:00.000Z')

beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'keepsake-follower-')), 'ws')
  state = join(root, '.state')
})
afterEach(() => rmSync(join(root, '..'), { recursive: true, force: true }))

/** Something happens when the segments are listed for the first time: after the checkpoint was read. */
class Meanwhile extends Journal {
  #act: (() => void) | undefined

  constructor(folder: string, act: () => void) {
    super(folder)
    this.#act = act
  }

  override segments(): string[] {
    const act = this.#act
    this.#act = undefined
    act?.()
    return super.segments()
  }
}

function open(): FilesystemStore {
  return filesystemStore({ root, timezone: 'UTC', clock: () => now })
}

async function add(store: FilesystemStore, ...names: string[]): Promise<void> {
  const operations = names.map((name) => ({ op: 'add', scope: 'main', kind: 'note', name, content: name }) as const)
  await store.apply({ operations, origin: { by: 'agent' } })
}

/** A process of its own. Many entries, and it leaves a checkpoint. */
async function addAlone(...names: string[]): Promise<void> {
  const store = open()
  await add(store, ...names)
  await store.close()
}

it.each([
  [
    'folds',
    async () => {
      now += 500 * DAY_MS
      await addAlone('later')
    },
  ],
  [
    'purges',
    async () => {
      const store = open()
      await store.purge([(await store.resolve('main', 'n3'))?.id ?? ''])
      await add(store, 'later')
      await store.close()
    },
  ],
])('a reader is in step with a writer that %s the past between its reads', async (_, pass) => {
  await addAlone(...Array.from({ length: 40 }, (_, n) => `n${n}`))
  now += 8 * DAY_MS // a week closes a segment
  await addAlone('next')
  const [checkpoint, old, young] = [checkpointPath(state), join(root, 'old'), join(root, 'young')]
  copyFileSync(checkpoint, old)
  await pass()
  copyFileSync(checkpoint, young)
  copyFileSync(old, checkpoint)
  const journal = new Meanwhile(join(state, 'journal'), () => renameSync(young, checkpoint))
  const { id } = await open().settings()
  const late = new Follower(journal, state, () => id)
  late.catchUp()
  const fresh = new Follower(new Journal(join(state, 'journal')), state, () => id)
  fresh.catchUp()
  expect(fresh.state?.foreign).toBe(false)
  expect(late.state).toEqual(fresh.state)
  expect([late.catalog.number, late.catalog.owner('main', 'later')]).toEqual([
    fresh.catalog.number,
    fresh.catalog.owner('main', 'later'),
  ])
})
