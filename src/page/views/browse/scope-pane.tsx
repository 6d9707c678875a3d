/** Whose entries, and of which kind. On narrow screens it folds away above the list. */
import type { ComponentChildren, RefObject, VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { KIND_NAMES } from '../../../model/kinds.ts'
import { instant, isDay, localTime, parseInstant } from '../../../model/time.ts'
import { KindBadge } from '../../parts/kind-badge.tsx'
import { NavLink } from '../../parts/nav-link.tsx'
import { wholeText } from '../../parts/number-text.ts'
import { go, route } from '../../route.ts'
import { agent, workspace } from '../../state.ts'
import { browseHref, browseQuery } from './browse-query.ts'
import { countsOf, sumOf } from './counts.ts'
import { useIsWide } from './use-is-wide.ts'

export function ScopePane(): VNode {
  const { scope, kind } = browseQuery(route.value)
  const isWide = useIsWide()
  const whose = scope === 'world' ? 'World' : scope === 'agent' ? agent.value : `World and ${agent.value}`
  const folded = useFoldedAfter(`${whose} ${kind}`)
  return (
    <nav class="browse-scopes" aria-label="Scopes and kinds">
      {isWide ? (
        <Choices />
      ) : (
        <details ref={folded}>
          <summary>
            <bdi>{whose}</bdi> · {kind ?? 'all kinds'}
          </summary>
          <Choices />
        </details>
      )}
    </nav>
  )
}

/** Once something is chosen, the list is what somebody wants to see. */
function useFoldedAfter(choice: string): RefObject<HTMLDetailsElement | null> {
  const details = useRef<HTMLDetailsElement>(null)
  const last = useRef(choice)
  useEffect(() => {
    if (last.current === choice) return
    last.current = choice
    if (details.current?.open !== true) return
    details.current.open = false
    details.current.querySelector('summary')?.focus()
  }, [choice])
  return details
}

function Choices(): VNode | null {
  const shown = workspace.value
  const { scope, kind, asOf } = browseQuery(route.value)
  if (shown === undefined) return null
  const counts = countsOf(shown, agent.value, scope)
  // What is counted is what there is now.
  const count = (of: number): number | undefined => (asOf === undefined ? of : undefined)
  return (
    <>
      <h2 id="scopes-title">Whose</h2>
      <ul class="scope-choices" aria-labelledby="scopes-title">
        <Choice
          to={browseHref(route.value, { scope: undefined })}
          isChosen={scope === undefined}
          count={count(sumOf(countsOf(shown, agent.value, undefined)))}
        >
          World and <bdi>{agent.value}</bdi>
        </Choice>
        <Choice
          to={browseHref(route.value, { scope: 'world' })}
          isChosen={scope === 'world'}
          count={count(sumOf(shown.world))}
        >
          World
        </Choice>
        {shown.agents.map((one) => (
          <Choice
            key={one.agent}
            to={agentHref(one.agent, shown.agent)}
            isChosen={scope === 'agent' && one.agent === agent.value}
            count={count(sumOf(one.kinds))}
          >
            <bdi>{one.agent}</bdi>
          </Choice>
        ))}
      </ul>
      <h2 id="kinds-title">Kinds</h2>
      <ul aria-labelledby="kinds-title">
        <Choice
          to={browseHref(route.value, { kind: undefined })}
          isChosen={kind === undefined}
          count={count(sumOf(counts))}
        >
          All kinds
        </Choice>
        {KIND_NAMES.filter((one) => one === kind || asOf !== undefined || (counts[one] ?? 0) > 0).map((one) => (
          <Choice
            key={one}
            to={browseHref(route.value, { kind: one })}
            isChosen={one === kind}
            count={count(counts[one] ?? 0)}
          >
            <KindBadge kind={one} />
          </Choice>
        ))}
      </ul>
      <h2 id="past-title">
        <label for="as-of">As of</label>
      </h2>
      <AsOf zone={shown.zone} />
    </>
  )
}

const FIRST_DAY = '1970-01-01'

function AsOf({ zone }: { readonly zone: string }): VNode {
  const today = localTime(instant(Date.now()), zone).day
  /** Where nobody went, because the day was none to go to or to stay was the answer, the field says where they are. */
  const showDay = (field: HTMLInputElement): void => {
    field.value = dayOf(browseQuery(route.value).asOf, zone)
  }
  const { asOf } = browseQuery(route.value)
  return (
    <input
      id="as-of"
      type="date"
      min={FIRST_DAY}
      max={today}
      value={dayOf(asOf, zone)}
      onChange={({ currentTarget }) => {
        const { value } = currentTarget
        // While a year is typed it is one of long ago.
        if (value !== '' && (value < FIRST_DAY || value > today)) return
        go(browseHref(route.value, { asOf: value }), { replace: asOf !== undefined })
        showDay(currentTarget)
      }}
      onBlur={({ currentTarget }) => showDay(currentTarget)}
    />
  )
}

/** On the workspace's clocks; empty for now, and for what only the server can tell the day of: "3 days ago". */
function dayOf(asOf: string | undefined, zone: string): string {
  if (asOf === undefined || isDay(asOf)) return asOf ?? ''
  const at = parseInstant(asOf)
  return at === undefined ? '' : localTime(at, zone).day
}

/** Another agent does not see what this one has open. */
function agentHref(name: string, served: string): string {
  const isAnother = name !== agent.value
  return browseHref(route.value, {
    agent: name === served ? undefined : name,
    scope: 'agent',
    ...(isAnother ? { entry: undefined, new: undefined, kind: undefined } : {}),
  })
}

interface ChoiceProps {
  readonly to: string
  readonly isChosen: boolean
  readonly count: number | undefined
  readonly children: ComponentChildren
}

function Choice({ to, isChosen, count, children }: ChoiceProps): VNode {
  return (
    <li>
      <NavLink class="choice" to={to} aria-current={isChosen ? 'true' : undefined}>
        <span class="choice-label">{children}</span>
        {count !== undefined && <span class="count">{wholeText(count)}</span>}
      </NavLink>
    </li>
  )
}
