// Writes of ours that a person's save may meet, each with the file that is saved, what the person makes of it, and how to
// tell from the journal that our own change is kept. `weSay` is what the file says when it is ours; a file that `holdsBoth` may
// say what either said.
const NOTE = 'agents/main/entries/deploys.md'
const LOG = 'agents/main/daily/2026-03-14.md'
const FRIDAY = 'Every Friday.'
const BY_HAND = 'Saved by hand.'

const aNote = ({ memory }) => memory.remember(FRIDAY, { name: 'Deploys', description: 'when' })
const onMonday = ({ memory }) => memory.remember('Every Monday.', { name: 'Deploys' })
const inTheNote = (text) => text.replace(/Every \w+\./, BY_HAND)

async function aLog({ memory }) {
  await memory.remember('The first thing of the day.')
  await memory.remember('The second thing of the day.')
}

async function overwriteFirst({ memory }) {
  const first = (await memory.list()).find(
    (entry) => entry.content.startsWith('The first') || entry.content === BY_HAND,
  )
  return memory.apply([{ op: 'write', id: first.id, content: 'Told anew.' }])
}

async function replaceNote({ memory }) {
  const { id } = await memory.find('Deploys')
  const add = { op: 'add', scope: 'main', kind: 'note', name: 'Deploys', content: 'Every Monday.' }
  return memory.apply([{ op: 'remove', id }, add])
}

const wrote =
  (content) =>
  ({ touched }) =>
    touched.some(({ after }) => after?.content === content)

export const raceScenarios = [
  {
    name: 'a page',
    prepare: ({ memory }) => memory.learnFact('Postgres', 'Port 5432.'),
    step: ({ memory }) => memory.learnFact('Postgres', 'Port 5433.'),
    file: 'world/postgres.md',
    hand: () => `${BY_HAND}\n`,
    weSay: 'Port 5433.',
    isOurs: wrote('Port 5433.'),
  },
  {
    name: 'the memory',
    prepare: ({ memory }) => memory.reflect('Be brief.'),
    step: ({ memory }) => memory.reflect('Be quick.'),
    file: 'agents/main/MEMORY.md',
    hand: () => `${BY_HAND}\n`,
    weSay: 'Be quick.',
    isOurs: wrote('Be quick.'),
  },
  {
    name: 'a card',
    prepare: aNote,
    step: onMonday,
    file: NOTE,
    hand: inTheNote,
    weSay: 'Every Monday.',
    isOurs: wrote('Every Monday.'),
  },
  {
    name: 'a line in the log',
    prepare: aLog,
    step: ({ memory }) => memory.remember('One more thing.'),
    file: LOG,
    hand: (text) => text.replace('The first thing of the day.', BY_HAND),
    holdsBoth: true,
    weSay: 'One more thing.',
    isOurs: wrote('One more thing.'),
  },
  {
    name: 'a line of the log overwritten',
    prepare: aLog,
    step: overwriteFirst,
    file: LOG,
    hand: (text) => text.replace('The second thing of the day.', BY_HAND),
    holdsBoth: true,
    weSay: 'Told anew.',
    isOurs: wrote('Told anew.'),
  },
  {
    name: 'a line of history',
    prepare: ({ memory }) => memory.apply([{ op: 'add', scope: 'main', kind: 'history', content: 'It began.' }]),
    step: ({ memory }) => memory.apply([{ op: 'add', scope: 'main', kind: 'history', content: 'It went on.' }]),
    file: 'agents/main/HISTORY-2026-03.md',
    hand: (text) => text.replace('It began.', BY_HAND),
    holdsBoth: true,
    weSay: 'It went on.',
    isOurs: wrote('It went on.'),
  },
  {
    name: 'a rename',
    // Saved anew under the old name, it is a second file, and really called the same.
    mayDouble: 'more than one entry is called "Deploys"',
    prepare: aNote,
    step: ({ memory }) => memory.rename('Deploys', 'Releases'),
    file: NOTE,
    hand: inTheNote,
    weSay: undefined,
    isOurs: ({ touched }) => touched.some(({ after }) => after?.name === 'Releases'),
  },
  {
    name: 'a removal',
    prepare: aNote,
    step: ({ memory }) => memory.forget('Deploys'),
    file: NOTE,
    hand: inTheNote,
    weSay: undefined,
    isOurs: ({ touched }) => touched.some(({ before, after }) => before && !after),
  },
  {
    name: 'an undo',
    async prepare(opened) {
      await aNote(opened)
      await onMonday(opened)
    },
    // Saved before, the external edit builds on what is undone.
    step: ({ memory }) => memory.undo({ withLater: true }),
    file: NOTE,
    hand: inTheNote,
    weSay: FRIDAY,
    isOurs: ({ change }) => change.reverts !== undefined,
  },
  {
    name: 'a new page',
    prepare: ({ memory }) => memory.learnFact('Postgres', 'Port 5432.'),
    step: ({ memory }) => memory.learnFact('Redis', 'Port 6379.'),
    file: 'world/redis.md',
    hand: () => `${BY_HAND}\n`,
    weSay: 'Port 6379.',
    isOurs: wrote('Port 6379.'),
  },
  {
    name: 'a new card',
    prepare: ({ memory }) => memory.remember('Only on request.', { name: 'Backups' }),
    step: onMonday,
    file: NOTE,
    hand: () => `${BY_HAND}\n`,
    weSay: 'Every Monday.',
    isOurs: wrote('Every Monday.'),
  },
  {
    name: 'a card that makes way for a new one',
    prepare: aNote,
    step: replaceNote,
    file: NOTE,
    hand: inTheNote,
    weSay: 'Every Monday.',
    isOurs: wrote('Every Monday.'),
  },
]

export const HAND_SAYS = BY_HAND
