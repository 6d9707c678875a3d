/** Asks before more is undone than one change: all of a session, or what later changes have built on it. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ChangeList, ChangeView } from '../../../api/contract.ts'
import { get } from '../../client.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { agent } from '../../state.ts'
import { touchedWord, whoText } from './change-words.ts'
import type { Undoing } from './take-back.ts'

export interface Question {
  /** What a yes does: no more than is told here. */
  readonly undoing: Undoing
  /** What builds on it; missing: it is only asked whether a session is meant. */
  readonly later?: readonly number[]
}

export interface UndoQuestionProps {
  readonly question: Question
  readonly byNumber: ReadonlyMap<number, ChangeView>
  readonly onClose: () => void
  readonly onYes: (undoing: Undoing) => void
}

export function UndoQuestion({ question, byNumber, onClose, onYes }: UndoQuestionProps): VNode {
  const { undoing, later } = question
  // A yes may be answered by the next question, in the same dialog.
  const [answered, setAnswered] = useState<Question>()
  const yes = (): void => {
    setAnswered(question)
    onYes(undoing)
  }
  return (
    <Dialog title={titleOf(question)} onClose={onClose}>
      {later === undefined ? (
        <p>
          Everything that it has written and that still stands is taken back, in one change that can be undone itself.
        </p>
      ) : (
        <>
          <p>{later.length === 1 ? 'A later change builds' : `${later.length} later changes build`} on it:</p>
          <Later numbers={later} byNumber={byNumber} />
          <p>They can only be undone together; that is one change, which can be undone itself.</p>
        </>
      )}
      <div class="buttons">
        <button type="button" class="is-primary" disabled={answered === question} onClick={yes}>
          {yesText(question)}
        </button>
        <button type="button" onClick={onClose}>
          Leave it
        </button>
      </div>
    </Dialog>
  )
}

function titleOf({ undoing: { what, isRedo }, later }: Question): string {
  const verb = isRedo ? 'Redo' : 'Undo'
  return later === undefined ? `${verb} ${what}?` : `${verb} ${what}, and what came later?`
}

/** With the number of all: an answer may have been yes before, to others. */
function yesText({ undoing: { body }, later }: Question): string {
  const count = body.changes?.length ?? 0
  if (later === undefined) return 'Undo the session'
  return count === 2 ? 'Undo both' : `Undo all ${count}`
}

/** Told by what they did; those that a filter hides are asked for. */
function Later({
  numbers,
  byNumber,
}: { readonly numbers: readonly number[] } & Pick<UndoQuestionProps, 'byNumber'>): VNode {
  const whose = agent.value
  const { value: hidden = [] } = useLoaded(
    async (signal) => {
      const missing = numbers.filter((number) => !byNumber.has(number)).slice(0, MOST_ASKED_FOR)
      const ask = (number: number): Promise<ChangeList> =>
        get<ChangeList>('/changes', { agent: whose, before: number + 1, limit: 1 }, signal)
      return (await Promise.all(missing.map(ask))).flatMap(({ changes }) => changes)
    },
    [whose, numbers.join()],
  )
  const known = new Map([...byNumber, ...hidden.map((change) => [change.number, change] as const)])
  return (
    <ul class="later-changes">
      {numbers.map((number) => (
        <li key={number}>
          <strong>{number}</strong> <LaterText change={known.get(number)} known={known} />
        </li>
      ))}
    </ul>
  )
}

const MOST_ASKED_FOR = 10

interface LaterTextProps {
  readonly change: ChangeView | undefined
  readonly known: ReadonlyMap<number, ChangeView>
}

function LaterText({ change, known }: LaterTextProps): VNode | null {
  if (change === undefined) return null
  const [first] = change.touched
  const more = change.touched.length + change.omitted - 1
  return (
    <>
      <span class="quiet">
        {change.day} {change.time}, <bdi>{whoText(change, known)}</bdi>
      </span>
      {first !== undefined && (
        <>
          : {touchedWord(first, change)} <bdi>{first.label}</bdi>
        </>
      )}
      {more > 0 && ` and ${more} more`}
    </>
  )
}
