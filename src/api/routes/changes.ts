/** The journal as diffs, and taking back what it tells of. */

import { hunksOf, lineDiff } from '../../history/line-diff.ts'
import type { VisibleChange } from '../../history/log.ts'
import { type Entry, ORIGINS } from '../../model/entry.ts'
import { localTime } from '../../model/time.ts'
import type { Touched } from '../../ports/store.ts'
import { choice, flag, list, said, text, whole } from '../../tools/parameters.ts'
import type { ChangeList, ChangeView, TouchedView, UndoAnswer } from '../contract.ts'
import { labelOf } from '../entry-rows.ts'
import { AGENT, limit, memoryOf } from '../parameters.ts'
import { defineRoute, type Route } from '../route.ts'

const MOST_CHANGES = 1_000_000
/** Of one change; an import may touch ten thousand. */
const MOST_TOUCHED = 20
/** Of one entry's diff. */
const MOST_LINES = 400
/** Of a text that is compared at all. */
const LONGEST_TEXT = 200_000

const changes: Route = defineRoute({
  method: 'GET',
  path: '/changes',
  summary: 'What was changed of what an agent sees, by whom and how, newest first; hand edits included',
  query: {
    ...AGENT,
    entry: text('Only changes of this entry: its id, name or alias; also of one that is gone.'),
    by: choice(ORIGINS, 'Only changes of this origin.'),
    session: text('Only changes of this session.'),
    before: whole(1, MOST_CHANGES, 'Only changes with a lower number.'),
    limit: limit(30, 100),
  },
  answer: 'ChangeList',
  run: async ({ agent, entry: ref, by, session, before, limit: most = 30 }, call): Promise<ChangeList> => {
    const memory = await memoryOf({ agent }, call)
    const { timezone: zone } = await memory.store.settings()
    // The log takes in what hands did, too; who begins to read is told what that brought up.
    const { heldBack, warnings } = before === undefined ? await memory.absorb({ signal: call.signal }) : NOTHING_NEW
    const found = await memory.log({ ...said({ ref, by, session, before }), limit: most + 1, signal: call.signal })
    const shown = found.slice(0, most)
    const last = shown.at(-1)?.change.number
    return {
      changes: shown.map((logged) => changeView(logged, zone)),
      ...(shown.length < found.length && last !== undefined ? { next: last } : {}),
      warnings: [...warnings, ...(heldBack.length === 0 ? [] : [heldBackText(heldBack.length)])],
    }
  },
})

const NOTHING_NEW = { heldBack: [], warnings: [] }

function heldBackText(count: number): string {
  return `${count} entries are gone from the folder at once, and not taken for removed yet; if that was meant: keepsake accept`
}

function changeView({ change, touched, undoneBy, isPartial }: VisibleChange, zone: string): ChangeView {
  const { number, at, origin, reverts, found, purged } = change
  return {
    ...{ number, at, ...localTime(at, zone), origin },
    touched: touched.slice(0, MOST_TOUCHED).map(touchedView),
    omitted: Math.max(0, touched.length - MOST_TOUCHED),
    ...said({ undoneBy, reverts }),
    found: found === true,
    isPurge: purged !== undefined,
    isPartial,
  }
}

function touchedView({ id, before, after }: Touched): TouchedView {
  const entry = after ?? before
  const hunks = hunksOf(lineDiff(textOf(before), textOf(after)))
  let room = MOST_LINES
  const shown = hunks.flatMap((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(0, room))
    room -= hunk.lines.length
    return lines.length === 0 ? [] : [{ ...hunk, lines }]
  })
  const isLong = [before, after].some((state) => (state?.content.length ?? 0) > LONGEST_TEXT)
  return {
    id,
    what: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    kind: entry?.kind ?? 'note',
    scope: entry?.scope ?? '',
    label: entry ? labelOf(entry, entry.content) : id,
    hunks: shown,
    isCut: room < 0 || isLong,
    fields: before && after ? fieldsOf(before, after) : [],
  }
}

function textOf(entry: Entry | undefined): string {
  return entry?.content.slice(0, LONGEST_TEXT) ?? ''
}

const FIELDS = ['name', 'key', 'aliases', 'description', 'metadata', 'expiresAt', 'kind', 'scope', 'path'] as const

function fieldsOf(before: Entry, after: Entry): TouchedView['fields'] {
  return FIELDS.flatMap((field) => {
    const [was, is] = [shown(before[field]), shown(after[field])]
    return was === is ? [] : [{ field, before: was, after: is }]
  })
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const undo: Route = defineRoute({
  method: 'POST',
  path: '/undo',
  summary:
    'Undoes changes: those listed, all of a session, or the newest that is neither undone yet nor an external edit; undoing an undo redoes it',
  query: AGENT,
  body: {
    changes: list(whole(1, MOST_CHANGES), 'Their numbers.'),
    session: text('All that this session changed.'),
    withLater: flag('Also what came later and builds on it; else that is a 409 which names it.'),
  },
  answer: 'Undone',
  run: async ({ agent, changes: numbers, session, withLater }, call): Promise<UndoAnswer> => {
    const memory = await memoryOf({ agent }, call)
    const asked = { ...said({ changes: numbers, session, withLater }), signal: call.signal }
    const { change, undone, entries, warnings } = await memory.undo(asked)
    call.served.wrote(memory)
    return {
      ...said({ change: change?.number }),
      undone: undone.map(({ change: { number } }) => number),
      entries: entries.map(({ id }) => id),
      warnings,
    }
  },
})

export const CHANGES: readonly Route[] = [changes, undo]
