/** Where the page is: a view and what it is asked for, in the address, so that every state can be bookmarked and gone back to. */
import { type Signal, signal } from '@preact/signals'

export const VIEWS = ['browse', 'recall', 'timeline', 'changes', 'context', 'overview', 'map'] as const
export type View = (typeof VIEWS)[number]

export interface Route {
  readonly view: View
  /** Without what is empty. */
  readonly query: Readonly<Record<string, string>>
}

export const route: Signal<Route> = signal(routeOf(location))

addEventListener('popstate', () => {
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
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  route.value = routeOf(location)
}

function routeOf({ pathname, search }: Location): Route {
  const view = VIEWS.find((name) => pathname === `/${name}`) ?? 'browse'
  return { view, query: Object.fromEntries(new URLSearchParams(search)) }
}
