/** What happened when: the daily log, the history and the sessions on one axis; and a session by itself. */
import { InvalidError, NotFoundError } from '../../errors.ts'
import type { Memory } from '../../memory.ts'
import { localTime, parseInstant } from '../../model/time.ts'
import { type Parameter, required, text, whole } from '../../tools/parameters.ts'
import type { OneSession, SessionList, SessionRow, Timeline, TimelineItem } from '../contract.ts'
import { entryRows } from '../entry-rows.ts'
import { AGENT, limit, memoryOf } from '../parameters.ts'
import { type Call, defineRoute, type Route } from '../route.ts'

const DAY_MS = 86_400_000

const BEFORE: Parameter<Place, false> = {
  ...text('Only what was before: an instant, or what "next" of the answer before says.'),
  check: (value, field) => {
    const [instant = '', ...id] = String(value).split(' ')
    const at = parseInstant(instant)
    if (at === undefined) throw new InvalidError(field, 'is no instant', '2026-11-17T09:30:00Z, or what "next" said')
    return id.length === 0 ? { at } : { at, id: id.join(' ') }
  },
}

const timeline: Route = defineRoute({
  method: 'GET',
  path: '/timeline',
  summary: 'The daily log, the history and the sessions of an agent, newest first',
  query: {
    ...AGENT,
    before: BEFORE,
    limit: limit(100, 200),
    span: whole(1, 3660, 'How many days back the axis goes.', 366),
  },
  answer: 'Timeline',
  run: async ({ agent, before, limit: most = 100, span = 366 }, call): Promise<Timeline> => {
    const memory = await memoryOf({ agent }, call)
    const { timezone: zone } = await memory.store.settings()
    const heads = await memory.heads(
      { scopes: [memory.agent], kinds: ['experience', 'history'] },
      { signal: call.signal },
    )
    const sessions = await sessionRows(memory, call)
    const times = [
      ...heads.map((head) => ({ at: head.createdAt, id: head.id, head, session: undefined })),
      ...sessions.flatMap((session) => {
        const at = session.lastAt ?? session.createdAt
        return at === null ? [] : [{ at, id: session.key, head: undefined, session }]
      }),
    ].sort((a, b) => (isAfter(b, a) ? -1 : 1))
    const left = before === undefined ? times : times.filter((one) => isAfter(one, before))
    const all = left.slice(0, most)
    const rows = await entryRows(
      memory,
      all.flatMap(({ head }) => head ?? []),
      call.signal,
    )
    const rowOf = new Map(rows.map((row) => [row.id, row]))
    const items = all.flatMap(({ at, head, session }): TimelineItem[] => {
      const when = { at, ...localTime(at, zone) }
      if (session) return [{ type: 'session', ...when, session }]
      const entry = head && rowOf.get(head.id)
      return entry ? [{ type: 'entry', ...when, entry }] : []
    })
    const last = all.at(-1)
    const next = last && all.length < left.length ? { next: `${last.at} ${last.id}` } : {}
    return { items, ...next, days: daysOf(times, zone, memory.clock() - span * DAY_MS) }
  },
})

interface Place {
  readonly at: string
  /** Missing: before all of that instant. */
  readonly id?: string
}

/** Whether it comes later in the list: the newest are first, and what happened in one instant goes by its id. */
function isAfter(one: Place, place: Place): boolean {
  return one.at === place.at ? place.id !== undefined && (one.id ?? '') > place.id : one.at < place.at
}

function daysOf(
  times: readonly { readonly at: string; readonly session: SessionRow | undefined }[],
  zone: string,
  fromMs: number,
): Timeline['days'] {
  const days = new Map<string, { entries: number; sessions: number }>()
  for (const { at, session } of times.toReversed()) {
    if (Date.parse(at) < fromMs) continue
    const { day } = localTime(at, zone)
    const counts = days.get(day) ?? { entries: 0, sessions: 0 }
    if (session) counts.sessions++
    else counts.entries++
    days.set(day, counts)
  }
  return [...days].map(([day, counts]) => ({ day, ...counts }))
}

const sessions: Route = defineRoute({
  method: 'GET',
  path: '/sessions',
  summary: 'The sessions of an agent, the last spoken in first',
  query: { ...AGENT, limit: limit(1000, 5000) },
  answer: 'SessionList',
  run: async ({ agent, limit: most = 1000 }, call): Promise<SessionList> => ({
    sessions: (await sessionRows(await memoryOf({ agent }, call), call)).slice(0, most),
  }),
})

async function sessionRows(memory: Memory, { signal }: Call): Promise<SessionRow[]> {
  if (memory.store.capabilities.sessions !== true) return []
  const rows = [...(await memory.sessions({ signal }))]
  return rows.sort((a, b) => (b.lastAt ?? '').localeCompare(a.lastAt ?? '', 'en') || (a.key < b.key ? -1 : 1))
}

const session: Route = defineRoute({
  method: 'GET',
  path: '/sessions/{key}',
  summary: 'One session: its turns, its markers, and what a model is given of it',
  inPath: { key: required(text('Its key.')) },
  query: { ...AGENT, limit: limit(500, 5000) },
  answer: 'OneSession',
  run: async ({ key, agent, limit: most = 500 }, call): Promise<OneSession> => {
    const memory = await memoryOf({ agent }, call)
    const { signal } = call
    const known = await memory.store.sessions.list(memory.agent, { signal })
    if (!known.some((one) => one.key === key)) throw new NotFoundError(key)
    const opened = memory.session(key)
    const [whole, window] = [await opened.transcript({ signal }), await opened.window({ signal })]
    const inWindow = new Set(window.turns.map(({ id }) => id))
    const { archive } = window
    return {
      key,
      createdAt: whole.createdAt,
      turns: whole.turns.slice(-most).map(({ id, role, content, at, tools }) => ({
        ...{ id, role, content, at, tools },
        inWindow: inWindow.has(id),
      })),
      earlier: Math.max(0, whole.turns.length - most),
      markers: whole.markers.map(({ id, at, reason, through, turns, archiveId, archiveName, unmarked }) => ({
        ...{ id, at, reason, through, turns, unmarked },
        ...(archiveId === undefined ? {} : { archiveId }),
        ...(archiveName === undefined ? {} : { archiveName }),
      })),
      ...(archive ? { archive: { id: archive.id, name: archive.name, content: archive.content } } : {}),
      broken: whole.broken.length,
    }
  },
})

export const TIMELINE: readonly Route[] = [timeline, sessions, session]
