/** What a model is given of the conversation now: what stands for all before, then the last exchanges as they were said. */
import type { VNode } from 'preact'
import type { OneSession } from '../../../api/contract.ts'
import { EntryLink } from '../../parts/entry-link.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Pieces } from './pieces.tsx'
import type { Piece } from './transcript.ts'

/** Of its heading, to go to: what was said before it may be long. */
export const WINDOW_ID = 'window'

export interface WindowTurnsProps {
  readonly pieces: readonly Piece[]
  readonly archive: OneSession['archive']
}

export function WindowTurns({ pieces, archive }: WindowTurnsProps): VNode {
  const turns = pieces.filter((piece) => piece.type === 'turn' && piece.turn.inWindow).length
  return (
    <section class="turns is-window" aria-labelledby={WINDOW_ID}>
      <h2 id={WINDOW_ID} tabIndex={-1}>
        In the model’s window now
      </h2>
      <p class="hint">{windowText(turns, archive !== undefined)}</p>
      {archive && (
        <article class="recap" aria-label="What stands for all before">
          <p>
            <span class="quiet">Stands for what was said before: </span>
            <EntryLink id={archive.id} kind="archive" label={archive.name} />
          </p>
          <Markdown text={archive.content} />
        </article>
      )}
      <Pieces pieces={pieces} />
    </section>
  )
}

function windowText(turns: number, hasArchive: boolean): string {
  const said = `${turns} ${turns === 1 ? 'turn' : 'turns'} as ${turns === 1 ? 'it was' : 'they were'} said`
  if (turns === 0) return hasArchive ? 'The archive alone.' : 'Nothing: the session begins anew with its next turn.'
  return hasArchive ? `The archive, then ${said}.` : `${said}.`
}
