// Generates a memory of many agents, who wrote by turns: the rows of one agent are spread over the tables.
import { newId } from '../../dist/model/id.js'
import { revisionOf } from '../../dist/model/revision.js'
import { seeded } from '../seeded.mjs'

const WORDS = 20
const VOCABULARY = 5000
/** In every 50th note. */
export const QUERY = 'status'
const QUERY_EVERY = 50
const STEP_MS = 10

/** An image for `adopt`. The agents are called a0, a1, … */
export function generateAgents({ agents, perAgent }) {
  const total = agents * perAgent
  const startMs = Date.now() - 7_200_000 - total * STEP_MS
  const note = (index) => {
    const atMs = startMs + index * STEP_MS
    const at = new Date(atMs).toISOString()
    const scope = `a${index % agents}`
    const entry = {
      id: idAt(atMs, index),
      scope,
      kind: 'note',
      name: `Note ${Math.floor(index / agents)}`,
      aliases: [],
      description: '',
      content: textOf(index, Math.floor(index / agents)),
      metadata: {},
      createdAt: at,
      updatedAt: at,
      expiresAt: null,
    }
    return { ...entry, seq: index + 1, origin: { by: 'agent', agent: scope }, revision: revisionOf(entry) }
  }
  const recorded = (index) => {
    const after = note(index)
    const { revision: _, ...rest } = after
    const change = {
      number: index + 1,
      at: after.createdAt,
      origin: after.origin,
      operations: [{ op: 'add', ...rest }],
    }
    return { change, touched: [{ id: after.id, after }] }
  }
  return {
    settings: {
      format: 1,
      id: newId(startMs),
      layout: 'agents',
      timezone: 'UTC',
      identityFile: 'IDENTITY.md',
      retentionDays: 90,
      retentionMb: 4096,
    },
    cursor: { epoch: 'generated', number: total },
    nextSeq: total + 1,
    history: {
      entries: [],
      async *changes() {
        for (let index = 0; index < total; index++) yield recorded(index)
      },
    },
    async *entries() {
      for (let index = 0; index < total; index++) yield note(index)
    },
    async *sessions() {},
    async *files() {},
    warnings: [],
    async close() {},
  }
}

/** The same in both passes: a UUID of version 7. */
function idAt(ms, index) {
  const time = ms.toString(16).padStart(12, '0')
  const random = seeded(index)
  const digits = Array.from({ length: 18 }, () => Math.floor(random() * 16).toString(16)).join('')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6)}`
}

function textOf(index, turn) {
  const random = seeded(index)
  const words = Array.from({ length: WORDS }, () => `w${Math.floor(VOCABULARY ** random()).toString(36)}`)
  return [...(turn % QUERY_EVERY === 0 ? [QUERY] : []), ...words].join(' ')
}
