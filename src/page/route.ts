/**
 * Where the page is: a view and what it is asked for, in the address, so that every state can be bookmarked and gone back to. Nobody leaves
 * text behind unasked: leaving.ts.
 */
import { type Signal, signal } from '@preact/signals'
import { isHeldBack } from './leaving.ts'

export const VIEWS = ['browse', 'recall', 'timeline', 'changes', 'context', 'overview', 'map'] as const
export type View = (typeof VIEWS)[number]

export interface Route {
  readonly view: View
  /** Without what is empty. */
  readonly query: Readonly<Record<string, string>>
}

export const route: Signal<Route> = signal(routeOf(location))

/** How many steps into this tab's history, so that one that was taken by the browser's own buttons can be taken back. */
let position = positionOf(history.state) ?? 0
let isReturning = false
history.replaceState({ position }, '')

addEventListener('popstate', ({ state }) => {
  const arrived = positionOf(state)
  // A step that was typed: another # in the address bar.
  if (arrived === undefined) history.replaceState({ position: ++position }, '')
  const steps = (arrived ?? position) - position
  position += steps
  if (isReturning) {
    isReturning = false
    return
  }
  if (steps !== 0 && isHeldBack(routeOf(location), () => history.go(steps))) {
    isReturning = true
    history.go(-steps)
    return
  }
  route.value = routeOf(location)
})

/** The address of a view; for links, so that they open in a new tab too. */
export function href(view: View, query: Readonly<Record<string, string | undefined>> = {}): string {
  const pairs = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '',
  )
  const search = new URLSearchParams(pairs).toString()
  return search === '' ? `/${view}` : `/${view}?${search}`
}

/** `replace`: for what changes while somebody types, which nobody wants to go back through. */
export function go(address: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (isHeldBack(routeOf(new URL(address, location.href)), () => move(address, replace))) return
  move(address, replace)
}

function move(address: string, replace: boolean): void {
  if (replace) history.replaceState({ position }, '', address)
  else history.pushState({ position: ++position }, '', address)
  route.value = routeOf(location)
}

function positionOf(state: unknown): number | undefined {
  const found = typeof state === 'object' && state !== null && 'position' in state ? state.position : undefined
  return typeof found === 'number' ? found : undefined
}

function routeOf({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Route {
  const view = VIEWS.find((name) => pathname === `/${name}`) ?? 'browse'
  return { view, query: Object.fromEntries(new URLSearchParams(search)) }
}
