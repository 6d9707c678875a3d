// Every way to change a workspace (of one file see also file-scenarios.mjs), each as a state that is prepared unharmed and the steps that meet the fault. A step is
// one write that is acknowledged, or several at once (`together`), which share a turn and come in their order.
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { leaveLockAndLitter, pretendNewBoot } from './pretend.mjs'

const NOTE = 'agents/main/entries/deploys.md'
const LOG = 'agents/main/daily/2026-03-14.md'
const HISTORY = 'agents/main/HISTORY.md'
const HAND_TIME = new Date('2026-03-14T12:30:00Z')

export async function everything({ memory, store }) {
  await memory.remember('The first thing of the day.')
  await memory.remember('Every Friday.', { name: 'Deploys', description: 'when', metadata: { tags: ['ops'] } })
  await memory.remember('Only on request.', { name: 'Backups', aliases: ['saves', 'copies'] })
  await memory.learnFact('Postgres', 'Port 5432.')
  await memory.reflect('Be brief.')
  await memory.remember('Berlin', { key: 'city' })
  await memory.remember('The second thing of the day.')
  await add(memory, 'history', 'It began.')
  await store.sessions.append('main', 'chat:1', [{ role: 'user', content: 'hello' }])
}

function add(memory, kind, content, more = {}) {
  return memory.apply([{ op: 'add', scope: 'main', kind, content, ...more }])
}

async function idOf(memory, content) {
  return (await memory.list()).find((entry) => entry.content === content).id
}

export const remember = ({ memory }) => memory.remember('One more thing.')
export const overwrite = ({ memory }) => memory.remember('Every Monday.\n\nAnd Tuesday.', { name: 'Deploys' })
const append =
  (records) =>
  ({ store }) =>
    store.sessions.append('main', 'chat:1', records)

async function severalFiles({ memory }) {
  const [deploys, first] = [(await memory.get('Deploys')).id, await idOf(memory, 'The first thing of the day.')]
  return memory.apply([
    { op: 'add', scope: 'main', kind: 'experience', content: 'In a batch.' },
    { op: 'add', scope: 'world', kind: 'topic', name: 'Redis', content: 'Port 6379.' },
    { op: 'rename', id: deploys, name: 'Releases' },
    { op: 'write', id: deploys, content: 'Never.' },
    { op: 'remove', id: (await memory.get('Backups')).id },
    { op: 'write', id: first, content: 'The first thing, told anew.' },
    { op: 'add', scope: 'main', kind: 'history', content: 'It went on.' },
    { op: 'add', scope: 'main', kind: 'conversation', content: 'user: hello' },
  ])
}

const TWO = '00000000-0000-7000-8000-000000000002'
const main = { op: 'add', scope: 'main' }

/** Handed to the store itself, so that all eight are in its queue before the first turn begins. */
const eightAtOnce = [
  { ...main, kind: 'experience', content: 'at once 1' },
  { ...main, kind: 'note', content: 'at once 2', name: 'Two', id: TWO },
  { op: 'add', scope: 'world', kind: 'topic', content: 'at once 3', name: 'Three' },
  { ...main, kind: 'experience', content: 'at once 4' },
  { ...main, kind: 'conversation', content: 'at once 5' },
  { op: 'write', id: TWO, content: 'at once 6' },
  { ...main, kind: 'context', content: 'at once 7', key: 'seven' },
  { ...main, kind: 'experience', content: 'at once 8' },
].map((operation) => {
  return ({ store }) => store.apply({ operations: [operation], origin: { by: 'agent', agent: 'main' } })
})

function journalOf(root) {
  const folder = join(root, '.state/journal')
  return join(folder, readdirSync(folder).sort().at(-1))
}

/** Reads at every moment that a write leaves to others: while it waits for the lock, and while it syncs. */
async function overwriteAndRead(opened) {
  const write = overwrite(opened)
  let settled = false
  const ended = write.then(
    () => (settled = true),
    () => (settled = true),
  )
  while (!settled) {
    await opened.memory.list()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await ended
  return write
}

/** Prepared as a crash leaves it: `write` is journaled, then `undone` takes back what the crash would have prevented. */
function crashed(write, undone) {
  return async (opened) => {
    await everything(opened)
    const before = readFiles(opened.root)
    await write(opened)
    undone(opened.root, before)
    leaveLockAndLitter(opened.root)
  }
}

function readFiles(root) {
  return Object.fromEntries([NOTE, LOG, HISTORY].map((path) => [path, readFileSync(join(root, path))]))
}

function byHand(root, path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true, mode: 0o700 })
  writeFileSync(join(root, path), text, { mode: 0o600 })
  touch(root, path)
}

/** Where a file says no time of its own, its file's counts: the same in every run. */
function touch(root, path) {
  utimesSync(join(root, path), HAND_TIME, HAND_TIME)
}

/** Writes, as any store takes them. */
export const writeScenarios = [
  { name: 'the first use of a workspace', steps: [({ store }) => store.init()] },
  { name: 'a first entry', steps: [remember] },
  { name: 'a line in the log', prepare: everything, steps: [remember] },
  {
    name: 'a log of a new day',
    prepare: everything,
    steps: [({ memory }) => add(memory, 'experience', 'Then.', { createdAt: '2026-03-12T10:00:00Z' })],
  },
  { name: 'a new note', prepare: everything, steps: [({ memory }) => memory.remember('Yes.', { name: 'New' })] },
  { name: 'a note overwritten', prepare: everything, steps: [overwrite] },
  { name: 'a note overwritten while the same process reads', prepare: everything, steps: [overwriteAndRead] },
  { name: 'a new topic', prepare: everything, steps: [({ memory }) => memory.learnFact('Redis', 'Port 6379.')] },
  {
    name: 'a topic overwritten',
    prepare: everything,
    steps: [({ memory }) => memory.learnFact('Postgres', 'Port 5433.')],
  },
  { name: 'a first reflection', prepare: remember, steps: [({ memory }) => memory.reflect('Be quick.')] },
  { name: 'a reflection', prepare: everything, steps: [({ memory }) => memory.reflect('Be quick.')] },
  { name: 'a note renamed', prepare: everything, steps: [({ memory }) => memory.rename('Deploys', 'Releases')] },
  { name: 'a topic renamed', prepare: everything, steps: [({ memory }) => memory.rename('Postgres', 'PostgreSQL')] },
  { name: 'an alias', prepare: everything, steps: [({ memory }) => memory.alias('Deploys', 'releases')] },
  {
    name: 'an alias taken from another',
    prepare: everything,
    steps: [({ memory }) => memory.alias('Deploys', 'saves', { mode: 'take' })],
  },
  { name: 'a note forgotten', prepare: everything, steps: [({ memory }) => memory.forget('Deploys')] },
  {
    name: 'a line of the log forgotten',
    prepare: everything,
    steps: [async ({ memory }) => memory.forget(await idOf(memory, 'The first thing of the day.'))],
  },
  {
    name: 'the only line of a log forgotten',
    prepare: remember,
    steps: [async ({ memory }) => memory.forget(await idOf(memory, 'One more thing.'))],
  },
  {
    name: 'a line of the log overwritten',
    prepare: everything,
    steps: [
      async ({ memory }) =>
        memory.apply([{ op: 'write', id: await idOf(memory, 'The first thing of the day.'), content: 'Told anew.' }]),
    ],
  },
  {
    name: 'a context replaced',
    prepare: everything,
    steps: [({ memory }) => memory.remember('Rome', { key: 'city' })],
  },
  {
    name: 'a context of yesterday replaced',
    prepare: ({ memory }) => add(memory, 'context', 'Berlin', { key: 'city', createdAt: '2026-03-13T10:00:00Z' }),
    steps: [({ memory }) => memory.remember('Rome', { key: 'city' })],
  },
  { name: 'a line of history', prepare: everything, steps: [({ memory }) => add(memory, 'history', 'It went on.')] },
  { name: 'a first line of history', prepare: remember, steps: [({ memory }) => add(memory, 'history', 'It began.')] },
  {
    name: 'a line of history forgotten',
    prepare: everything,
    steps: [async ({ memory }) => memory.forget(await idOf(memory, 'It began.'))],
  },
  { name: 'a batch over several files', prepare: everything, steps: [severalFiles] },
  { name: 'a first session', prepare: remember, steps: [append([{ role: 'user', content: 'hello' }])] },
  { name: 'a turn of a session', prepare: everything, steps: [append([{ role: 'user', content: 'more' }])] },
  { name: 'several turns of a session', prepare: everything, steps: [append([{ n: 1 }, { n: 2 }, { n: 3 }])] },
  { name: 'eight writes at once', prepare: everything, together: true, steps: eightAtOnce },
]

/** All of a folder: also what its journal brings, and what hands and crashes leave there. */
export const scenarios = [
  ...writeScenarios,
  {
    name: 'a first entry in a folder that a person filled',
    prepare({ root }) {
      byHand(root, 'world/redis.md', 'Port 6379.\n')
      byHand(root, 'agents/main/MEMORY.md', 'Be kind.\n')
      byHand(root, LOG, '# 2026-03-14\n\n## 08:00\n\nBreakfast.\n')
    },
    steps: [remember],
  },
  {
    name: 'a write that brings a checkpoint',
    async prepare(opened) {
      await everything(opened)
      await opened.memory.learnFact('Long', 'x'.repeat(1_035_000))
    },
    steps: [({ memory }) => memory.learnFact('Longer', 'y'.repeat(16_000))],
  },
  {
    name: 'a write that brings a new segment',
    async prepare(opened) {
      await everything(opened)
      // Too long for one segment with the second, which leaves a file that is quick to read.
      await opened.memory.learnFact('Long', 'x'.repeat(8_300_000))
      await opened.memory.learnFact('Long', 'y'.repeat(150_000))
    },
    steps: [remember],
  },
  {
    name: 'a first write after a new boot',
    async prepare(opened) {
      await everything(opened)
      pretendNewBoot(opened.root)
    },
    steps: [overwrite],
  },
  {
    name: 'recovery of files that a power cut has lost',
    async prepare(opened) {
      const { root } = opened
      await everything(opened)
      await severalFiles(opened)
      writeFileSync(join(root, 'agents/main/entries/releases.md'), '')
      truncateSync(join(root, LOG), 40)
      unlinkSync(join(root, HISTORY))
      truncateSync(join(root, 'agents/main/MEMORY.md'), 4)
      leaveLockAndLitter(root)
      pretendNewBoot(root)
    },
    steps: [overwriteReleases],
  },
  {
    name: 'a first write in a copy of the workspace',
    async prepare(opened) {
      await everything(opened)
      await opened.store.close()
      copyFileSync(journalOf(opened.root), join(opened.root, 'copy'))
      chmodSync(join(opened.root, 'copy'), 0o600)
      renameSync(join(opened.root, 'copy'), journalOf(opened.root))
    },
    steps: [overwrite],
  },
  {
    name: 'a first write in a clone of the files',
    async prepare(opened) {
      await everything(opened)
      await opened.store.close()
      rmSync(join(opened.root, '.state'), { recursive: true })
      for (const path of [NOTE, LOG, 'world/postgres.md', 'agents/main/MEMORY.md']) touch(opened.root, path)
    },
    steps: [overwrite],
  },
  {
    name: 'recovery of a torn journal',
    prepare: crashed(remember, (root, before) => {
      truncateSync(journalOf(root), readFileSync(journalOf(root)).length - 40)
      writeFileSync(join(root, LOG), before[LOG])
    }),
    steps: [remember],
  },
  {
    name: 'recovery of a note that was not written',
    prepare: crashed(overwrite, (root, before) => writeFileSync(join(root, NOTE), before[NOTE])),
    steps: [remember],
  },
  {
    name: 'recovery of a torn line in the log',
    prepare: crashed(remember, (root, before) => truncateSync(join(root, LOG), before[LOG].length + 20)),
    steps: [remember],
  },
  {
    name: 'recovery of a batch over several files',
    prepare: crashed(severalFiles, (root, before) => {
      writeFileSync(join(root, LOG), before[LOG])
      renameSync(join(root, 'agents/main/entries/releases.md'), join(root, NOTE))
      writeFileSync(join(root, NOTE), before[NOTE])
      truncateSync(join(root, HISTORY), before[HISTORY].length + 20)
    }),
    steps: [overwriteReleases],
  },
  {
    name: 'recovery of a torn session',
    async prepare(opened) {
      await everything(opened)
      appendFileSync(join(opened.root, 'agents/main/sessions/chat%3A1.jsonl'), '{"role":"us')
      leaveLockAndLitter(opened.root)
    },
    steps: [append([{ role: 'user', content: 'more' }])],
  },
  {
    name: 'an edit by hand before the note is overwritten',
    async prepare(opened) {
      await everything(opened)
      const text = readFileSync(join(opened.root, NOTE), 'utf8')
      byHand(opened.root, NOTE, text.replace('Every Friday.', 'Every Thursday, by hand.'))
    },
    steps: [overwrite],
  },
  {
    name: 'an edit by hand before a line of the log is forgotten',
    async prepare(opened) {
      await everything(opened)
      const text = readFileSync(join(opened.root, LOG), 'utf8')
      byHand(opened.root, LOG, `${text.replace('The second thing', 'The other thing')}\n## 18:00\n\nSupper, by hand.\n`)
    },
    steps: [async ({ memory }) => memory.forget(await idOf(memory, 'The first thing of the day.'))],
  },
  {
    name: 'a note removed by hand before one of its name is written',
    async prepare(opened) {
      await everything(opened)
      unlinkSync(join(opened.root, NOTE))
    },
    steps: [overwrite],
  },
  {
    name: 'a memory removed by hand before a reflection',
    async prepare(opened) {
      await everything(opened)
      unlinkSync(join(opened.root, 'agents/main/MEMORY.md'))
    },
    steps: [({ memory }) => memory.reflect('Be quick.')],
  },
  {
    name: 'a file moved by hand before it is overwritten',
    async prepare(opened) {
      await everything(opened)
      renameSync(join(opened.root, NOTE), join(opened.root, 'agents/main/entries/elsewhere.md'))
    },
    steps: [overwrite],
  },
]

function overwriteReleases({ memory }) {
  return memory.remember('Sometimes.', { name: 'Releases' })
}
