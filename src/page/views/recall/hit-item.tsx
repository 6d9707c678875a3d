/** One hit: what it is, where the words stand in it, and what its score is made of. */
import type { VNode } from 'preact'
import type { Entry } from '../../../model/entry.ts'
import type { Hit } from '../../../recall/found.ts'
import { EntryLink } from '../../parts/entry-link.tsx'
import { Highlighted } from '../../parts/highlighted.tsx'
import { KindBadge } from '../../parts/kind-badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { NavLink } from '../../parts/nav-link.tsx'
import { shortened } from '../../parts/shortened.ts'
import { href, route } from '../../route.ts'
import { excerptOf } from './excerpt.ts'
import { scoreText } from './reasons.ts'
import { ReasonsDetails } from './reasons-details.tsx'

export interface HitItemProps {
  readonly hit: Hit
  readonly asOf: string
}

export function HitItem({ hit, asOf }: HitItemProps): VNode {
  const { entry, score, highlights, alike, why } = hit
  const isWhole = isAllTitle(entry)
  const address = href('browse', { entry: entry.id, asOf, agent: route.value.query['agent'] })
  return (
    <li class="hit">
      <div class="hit-head">
        <h3>
          <NavLink class="hit-link" to={address}>
            <bdi>{isWhole ? <Highlighted text={entry.content} ranges={highlights} /> : titleOf(entry)}</bdi>
          </NavLink>
        </h3>
        <p class="hit-facts">
          <KindBadge kind={entry.kind} />
          {entry.scope === 'world' && entry.kind !== 'topic' && <span>world</span>}
          <Moment at={entry.createdAt} />
        </p>
        <p class="hit-score">
          <span class="unseen">Score </span>
          {scoreText(score)}
        </p>
      </div>
      {!isWhole && <Excerpt hit={hit} />}
      {alike.length > 0 && <Alike ids={alike} asOf={asOf} />}
      {why !== undefined && <ReasonsDetails why={why} />}
    </li>
  )
}

const TITLE_CHARACTERS = 80

/** Its name, its key, or how it begins. */
function titleOf({ name, key, content }: Entry): string {
  if (name !== null || key !== undefined) return name ?? key ?? ''
  const line = content.slice(0, 400).replace(/\s+/g, ' ').trim()
  return shortened(line, TITLE_CHARACTERS) || '(empty)'
}

/** What has no name and is short says all it has to say as its title. */
function isAllTitle({ name, key, content }: Entry): boolean {
  return name === null && key === undefined && content.trim() !== '' && content.length <= 2 * TITLE_CHARACTERS
}

function Excerpt({ hit: { entry, highlights } }: { readonly hit: Hit }): VNode {
  const { content, description } = entry
  const pieces = excerptOf(content, highlights)
  const end = pieces.at(-1)?.[1] ?? 0
  return (
    <div class="hit-excerpt">
      {/* What the query's words stand in is shown; where that is not the text, it may well be this. */}
      {highlights.length === 0 && description !== '' && <p>{description}</p>}
      <p dir="auto">
        {pieces.map(([from, to], index) => (
          <span key={from}>
            {(index > 0 || from > 0) && '… '}
            <Highlighted
              text={content.slice(from, to).trim()}
              ranges={highlights}
              offset={trimmedStart(content, from)}
            />{' '}
          </span>
        ))}
        {end < content.trimEnd().length && '…'}
      </p>
    </div>
  )
}

/** Where the text goes on after blanks. */
function trimmedStart(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at]?.trim() === '') at++
  return at
}

/** Their ids are all that is known of them here, and their ends tell them apart. */
function Alike({ ids, asOf }: { readonly ids: readonly string[]; readonly asOf: string }): VNode {
  return (
    <p class="hit-alike">
      {ids.length === 1 ? 'Another one says nearly the same: ' : `${ids.length} others say nearly the same: `}
      {ids.slice(0, 5).map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <EntryLink id={id} asOf={asOf} label={`…${id.slice(-6)}`} />
        </span>
      ))}
      {ids.length > 5 && ' …'}
    </p>
  )
}
