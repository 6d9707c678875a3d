/** What kept an entry out of the hits, in a sentence, and how far it came. */
import type { VNode } from 'preact'
import type { WhyNot } from '../../../recall/found.ts'
import { EntryLink } from '../../parts/entry-link.tsx'
import { wholeText } from '../../parts/number-text.ts'
import { shortened } from '../../parts/shortened.ts'
import { reasonsOf, scoreText } from './reasons.ts'
import { ReasonsTable } from './reasons-table.tsx'

export interface WhyNotResultProps {
  readonly whyNot: WhyNot
  readonly asOf: string
}

export function WhyNotResult({ whyNot, asOf }: WhyNotResultProps): VNode {
  const { entry, sentence, rank, score, why, instead, warnings } = whyNot
  return (
    <div class="why-not-result">
      <p>
        <strong>{sentence}</strong>
      </p>
      {entry !== undefined && (
        <p>
          <EntryLink
            id={entry.id}
            asOf={asOf}
            label={entry.name ?? entry.key ?? shortened(entry.content, 60)}
            kind={entry.kind}
          />
        </p>
      )}
      {rank !== undefined && (
        <p class="quiet">
          Place {wholeText(rank)} of all that match
          {score === undefined ? '.' : `, with a score of ${scoreText(score)}.`}
        </p>
      )}
      {instead !== undefined && (
        <p>
          In its place: <EntryLink id={instead} asOf={asOf} label={`the entry …${instead.slice(-6)}`} />
        </p>
      )}
      {why !== undefined && <ReasonsTable why={why} reasons={reasonsOf(why)} />}
      {warnings.map((warning) => (
        <p key={warning} class="hint">
          {warning}
        </p>
      ))}
    </div>
  )
}
