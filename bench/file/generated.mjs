// Generates a memory from a seed: notes of sixty words, each added by its own change, some of them rewritten by later changes.
import { newId } from '../../dist/model/id.js'
import { revisionOf } from '../../dist/model/revision.js'
import { seeded } from '../seeded.mjs'

const VOCABULARY = 20_000
const WORDS = 60
const SYLLABLES = [...'bdfgklmnprtvz'].flatMap((consonant) => [...'aeiou'].map((vowel) => consonant + vowel))
const STEP_MS = 1000

/** Words of medium frequency: each is in a few percent of the notes. */
export const QUERY = [150, 190, 230].map(wordAt).join(' ')

/** An image for `adopt`, with `entries` notes and `changes` changes. */
export function generateImage({ entries, changes }) {
  const startMs = Date.now() - changes * STEP_MS
  const timeOf = (number) => new Date(startMs + number * STEP_MS).toISOString()
  const ids = Array.from({ length: entries }, (_, index) => newId(startMs + index * STEP_MS))
  const note = (index, number) => {
    const times = { createdAt: timeOf(index + 1), updatedAt: timeOf(number) }
    return { ...generateNote(number), name: `Note ${index}`, id: ids[index], seq: index + 1, ...times }
  }
  const finished = (entry) => ({ ...entry, revision: revisionOf(entry) })
  function recorded(number) {
    const index = (number - 1) % entries
    const after = finished(note(index, number))
    const change = { number, at: timeOf(number), origin: after.origin }
    const { id, content, revision: _, ...rest } = after
    if (number <= entries) {
      return { change: { ...change, operations: [{ op: 'add', id, content, ...rest }] }, touched: [{ id, after }] }
    }
    const before = finished(note(index, number - entries))
    return { change: { ...change, operations: [{ op: 'write', id, content }] }, touched: [{ id, before, after }] }
  }
  const settings = {
    format: 1,
    id: newId(startMs),
    layout: 'agents',
    timezone: 'UTC',
    identityFile: 'IDENTITY.md',
    retentionDays: 90,
    retentionMb: 4096,
  }
  return {
    settings,
    cursor: { epoch: 'generated', number: changes },
    nextSeq: entries + 1,
    history: {
      entries: [],
      async *changes() {
        for (let number = 1; number <= changes; number++) yield recorded(number)
      },
    },
    async *entries() {
      for (let index = 0; index < entries; index++) {
        const last = index + 1 + Math.floor((changes - index - 1) / entries) * entries
        yield finished(note(index, last))
      }
    },
    async *sessions() {},
    async *files() {},
    warnings: [],
    async close() {},
  }
}

/** A note with its own text, which depends only on `number`. */
export function generateNote(number) {
  const random = seeded(number)
  const words = Array.from({ length: WORDS }, () => wordAt(Math.floor(VOCABULARY ** random())))
  return {
    scope: 'main',
    kind: 'note',
    aliases: [],
    description: '',
    content: words.join(' '),
    metadata: {},
    expiresAt: null,
    origin: { by: 'agent', agent: 'main' },
  }
}

/** The word with this rank by frequency. */
function wordAt(rank) {
  const { length } = SYLLABLES
  return SYLLABLES[rank % length] + SYLLABLES[Math.floor(rank / length) % length] + SYLLABLES[(rank * 7 + 3) % length]
}
