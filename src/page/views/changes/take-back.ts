/** Takes changes back, and tells of it with the way to bring them back. That later changes stand in the way is an answer, not a failure. */
import type { UndoAnswer, UndoBody } from '../../../api/contract.ts'
import { ApiError, send } from '../../client.ts'
import { agent, fail, tell } from '../../state.ts'
import { changesText } from './change-words.ts'

/** What is to be taken back, and how it is called. */
export interface Undoing {
  readonly body: UndoBody
  /** It is an undo that is taken back. */
  readonly isRedo: boolean
}

/** Later changes that build on it: nothing was done, and they would have to be undone too. */
export async function takeBack({ body, isRedo }: Undoing): Promise<{ readonly later?: readonly number[] }> {
  try {
    const undone = await send<UndoAnswer>('POST', '/undo', { agent: agent.value }, body)
    const what = isRedo ? 'Done again' : `Undone: ${changesText(undone.undone)}`
    tell(what, undone.change === undefined ? {} : { undo: undone.change })
    for (const warning of undone.warnings) tell(warning)
  } catch (error) {
    const later = error instanceof ApiError && error.status === 409 ? error.failure.later : undefined
    if (later !== undefined && later.length > 0) return { later }
    fail(error)
  }
  return {}
}
