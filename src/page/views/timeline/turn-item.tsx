/** One turn: who said it, when, with which tools, and what. A long one is cut until somebody wants all of it. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { TurnView } from '../../../api/contract.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { Moment } from '../../parts/moment.tsx'
import { wholeText } from '../../parts/number-text.ts'
import { shortened } from '../../parts/shortened.ts'
import { Source } from '../../parts/source.tsx'

/** More characters than these are cut to half as many. What a tool says is data, of which little tells enough. */
const LONG: Readonly<Record<TurnView['role'], number>> = { user: 2400, assistant: 2400, system: 2400, tool: 600 }

export function TurnItem({ turn: { role, content, at, tools } }: { readonly turn: TurnView }): VNode {
  const [isWhole, setIsWhole] = useState(false)
  const isLong = content.length > LONG[role]
  const isCut = isLong && !isWhole
  const text = isCut ? shortened(content, LONG[role] / 2) : content
  return (
    <li class={`turn is-${role}`}>
      <header>
        <strong>{role}</strong>
        <Moment at={at} />
        {tools.map((tool, index) => (
          <code key={index} class="turn-tool">
            {tool}
          </code>
        ))}
      </header>
      {content.trim() !== '' && (role === 'tool' ? <Source text={text} /> : <Markdown text={text} />)}
      {isLong && (
        <button type="button" class="is-quiet" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isCut ? `Show all ${wholeText(content.length)} characters` : 'Show less'}
        </button>
      )}
    </li>
  )
}
