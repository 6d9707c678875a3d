/**
 * Takes changes back, and tells of it with the way to bring them back. That later changes stand in the way is an answer, not a failure: they
 * are taken back only by their numbers, once somebody has seen them, and never "whatever comes later".
 */
import type { ChangeList, UndoAnswer, UndoBody } from '../../../api/contract.ts'
import { ApiError, get, send } from '../../client.ts'
import { agent, fail, lookAgain, tell } from '../../state.ts'
import { changesText } from './change-words.ts'

/** What is to be taken back, and how it is called. */
export interface Undoing {
  readonly body: Pick<UndoBody, 'changes' | 'session'>
  /** `change 12`, `the session main` */
  readonly what: string
  /** It is an undo that is taken back. */
  readonly isRedo: boolean
}

/** Later changes build on it: nothing was done. */
export interface Further {
  readonly later: readonly number[]
  /** All of it together with these. */
  readonly undoing: Undoing
}

/** `undefined`: it is done, or has failed, and that was told. */
export async function takeBack(undoing: Undoing): Promise<Further | undefined> {
  const { body, isRedo } = undoing
  try {
    const undone = await send<UndoAnswer>('POST', '/undo', { agent: agent.value }, body)
    const done = isRedo ? 'Done again' : `Undone: ${changesText(undone.undone)}`
    tell(done, undone.change === undefined ? {} : { undo: undone.change })
    for (const warning of undone.warnings) tell(warning)
    lookAgain()
    return undefined
  } catch (error) {
    const later = error instanceof ApiError && error.status === 409 ? error.failure.later : undefined
    if (later !== undefined && later.length > 0) return further(undoing, later).catch(failed)
    return failed(error)
  }
}

function failed(error: unknown): undefined {
  fail(error)
}

async function further(undoing: Undoing, later: readonly number[]): Promise<Further> {
  const { changes = [], session } = undoing.body
  const meant = session === undefined ? changes : await standingOf(session)
  return { later, undoing: { ...undoing, body: { changes: [...new Set([...meant, ...later])] } } }
}

/** What the server gives at once. */
const PAGE = 100

/** The changes of a session that an undo of it means. */
async function standingOf(session: string): Promise<readonly number[]> {
  const standing: number[] = []
  for (let before: number | undefined; ; ) {
    const list = await get<ChangeList>('/changes', { agent: agent.value, session, before, limit: PAGE })
    for (const { number, undoneBy, reverts, found, isPurge, isPartial } of list.changes) {
      if (undoneBy === undefined && reverts === undefined && !found && !isPurge && !isPartial) standing.push(number)
    }
    before = list.next
    if (before === undefined) return standing
  }
}
