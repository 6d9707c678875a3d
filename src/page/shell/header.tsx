/** Which memory this is, whose eyes it is seen with, and the way to each view. */
import type { VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { NavLink } from '../parts/nav-link.tsx'
import { go, href, route, VIEWS } from '../route.ts'
import { agent, workspace } from '../state.ts'
import { VIEW_NAMES } from './view-names.ts'

export function Header(): VNode {
  const { view, query } = route.value
  const views = useRef<HTMLUListElement>(null)
  // On a narrow screen there is not room for all of them.
  useLayoutEffect(() => {
    views.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [view])
  return (
    <header class="header">
      <NavLink class="brand" to={href('browse', { agent: query['agent'] })} aria-label="Keepsake">
        <img src="/icon.svg" alt="" width="20" height="20" />
        <span>Keepsake</span>
      </NavLink>
      <nav class="views" aria-label="Views">
        <ul ref={views}>
          {VIEWS.map((name) => (
            <li key={name}>
              <NavLink to={href(name, { agent: query['agent'] })} aria-current={name === view ? 'page' : undefined}>
                {VIEW_NAMES[name]}
              </NavLink>
            </li>
          ))}
        </ul>
      </nav>
      <Whose />
    </header>
  )
}

function Whose(): VNode | null {
  const shown = workspace.value
  if (shown === undefined) return null
  const known = shown.agents.map((one) => one.agent)
  const agents = known.includes(agent.value) ? known : [...known, agent.value]
  return (
    <div class="whose">
      <span class="root" title={`${shown.root} (${shown.store})`}>
        <bdi>{shown.root}</bdi>
      </span>
      <label for="agent">Agent</label>
      <select id="agent" value={agent.value} onChange={(event) => choose(event.currentTarget)}>
        {agents.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

/** What else the address asks for was about the other one's memory, so only the view stays. */
function choose(select: HTMLSelectElement): void {
  go(href(route.value.view, { agent: select.value === workspace.value?.agent ? undefined : select.value }))
  // Where somebody rather stays with unsaved text, the address has not changed, and the choice follows the address.
  select.value = agent.value
}
