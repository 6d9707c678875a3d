/**
 * What the whole page shares: the workspace, whose memory is shown, what changed by now, and what is to be said about it. Views hold
 * what is theirs themselves.
 */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { ChangeEvent, ReadyEvent, UndoAnswer, Workspace } from '../api/contract.ts'
import { ApiError, follow, get, send } from './client.ts'
import { hintOf } from './hints.ts'
import { href, route } from './route.ts'

/** `undefined`: not loaded yet. */
export const workspace: Signal<Workspace | undefined> = signal(undefined)

/** Makes the server refuse a write if the entry is at another revision by now. A Chroma server can't check that. */
export function expectRevision(revision: string): { readonly expect?: string } {
  return workspace.value?.store === 'chroma' ? {} : { expect: revision }
}

/** Whose memory is shown: as the address says, else the server's own. */
export const agent: ReadonlySignal<string> = computed(() => route.value.query['agent'] ?? workspace.value?.agent ?? '')

/** Counts how often the memory has, or may have, changed: a view that reads it loads again. */
export const changed: Signal<{ readonly count: number }> = signal({ count: 0 })

export const isConnected: Signal<boolean> = signal(true)

/** A hidden tab does not follow changes. */
export const isVisible: Signal<boolean> = signal(document.visibilityState === 'visible')

document.addEventListener('visibilitychange', () => {
  isVisible.value = document.visibilityState === 'visible'
  if (isVisible.value && workspace.value !== undefined) lookAgain()
})

/** The first load of the workspace did not come through. */
export const hasFailedToOpen: Signal<boolean> = signal(false)

/** The key is gone or was never there: nothing can be shown. */
export const isLockedOut: Signal<boolean> = signal(false)

export interface Notice {
  readonly id: number
  readonly text: string
  readonly hint?: string
  readonly isError: boolean
  /** The change that an "Undo" beside it takes back. */
  readonly undo?: number
  /** Where there is more about it. */
  readonly link?: { readonly to: string; readonly text: string }
}

export const notices: Signal<readonly Notice[]> = signal([])

let lastNotice = 0

export function tell(text: string, more: Partial<Omit<Notice, 'id' | 'text'>> = {}): void {
  const notice: Notice = { id: ++lastNotice, text, isError: false, ...more }
  notices.value = [...notices.value.slice(-3), notice]
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}

/** Shows what failed; what was only called off is no failure. */
export function fail(error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') return
  if (error instanceof ApiError) {
    if (error.status === 401) isLockedOut.value = true
    else tell(error.message, { isError: true, ...withHint(error) })
    return
  }
  tell(error instanceof Error ? error.message : String(error), { isError: true })
}

function withHint(error: ApiError): Pick<Notice, 'hint'> {
  const hint = hintOf(error)
  return hint === undefined ? {} : { hint }
}

export async function loadWorkspace(): Promise<void> {
  workspace.value = await get<Workspace>('/workspace')
  shownRevision.value ??= workspace.value.revision
}

/** The views show this revision or a newer one. The workspace may be newer than they are: a change of another agent does not count. */
export const shownRevision: Signal<string | undefined> = signal(undefined)

/** What comes together is shown together: an import tells of a thousand changes in a row, and each look asks the server. */
const GATHER_MS = 150

let isWaiting = false
let areViewsOutdated = false

/**
 * Loads the workspace again, soon, and every view that reads the memory, unless the change is of an agent that is not shown. For what
 * others did, which the server reports, and for what was done here, which it may not.
 */
export function lookAgain(withViews = true): void {
  areViewsOutdated ||= withViews
  if (isWaiting) return
  isWaiting = true
  setTimeout(() => {
    isWaiting = false
    void reload()
  }, GATHER_MS)
}

/** Loads the workspace first, so that its revision is never newer than what the views load after it. */
async function reload(): Promise<void> {
  const withViews = areViewsOutdated
  areViewsOutdated = false
  await loadWorkspace().catch(fail)
  if (!withViews) return
  shownRevision.value = workspace.value?.revision
  changed.value = { count: changed.value.count + 1 }
}

/**
 * A browser opens at most six connections to a server, for all tabs together. So one tab reads the stream, with the changes of every
 * agent, and passes its events to the others. The channel is open from the start, so that no event is missed while the workspace loads.
 */
const otherTabs = new BroadcastChannel('keepsake')

otherTabs.addEventListener('message', ({ data: { name, data } }) => handleEvent(name, data))

/** Follows the memory until it is cancelled. When the tab with the stream is closed or hidden, another one opens the stream. */
export async function followChanges(signal: AbortSignal): Promise<void> {
  // Assumed until an event says otherwise: the last event may be old.
  isConnected.value = true
  const followAlone = (): Promise<void> =>
    follow({ agent: '*' }, signal, (name, data) => {
      otherTabs.postMessage({ name, data })
      handleEvent(name, data)
    })
  // Over plain HTTP to another machine a browser has no locks, so each tab has its own stream.
  const followed = navigator.locks?.request('keepsake', { signal }, followAlone) ?? followAlone()
  await followed.catch(fail)
}

function handleEvent(name: string, data: string): void {
  const wasConnected = isConnected.value
  isConnected.value = name !== 'lost'
  const isMissed = name === 'ready' && !(wasConnected && isUpToDate(data))
  if (isVisible.value && (name === 'change' || isMissed)) lookAgain(isMissed || isShown(data))
}

/** Whether a change is of what this tab shows. */
function isShown(change: string): boolean {
  const { scopes }: ChangeEvent = JSON.parse(change)
  // Whose memory this tab shows may not be known yet.
  return agent.value === '' || scopes.some((scope) => scope === 'world' || scope === agent.value)
}

function isUpToDate(ready: string): boolean {
  const { revision }: ReadyEvent = JSON.parse(ready)
  return revision === shownRevision.value
}

/** Takes a change back and offers to bring it back. Where later ones build on it, it leads to where those can be seen. */
export async function undo(change: number): Promise<UndoAnswer | undefined> {
  try {
    const undone = await send<UndoAnswer>('POST', '/undo', { agent: agent.value }, { changes: [change] })
    tell(`Undone: change ${undone.undone.join(', ')}`, undone.change === undefined ? {} : { undo: undone.change })
    for (const warning of undone.warnings) tell(warning)
    lookAgain()
    return undone
  } catch (error) {
    if (error instanceof ApiError && error.failure.later !== undefined && error.failure.later.length > 0) {
      const to = href('changes', { agent: route.value.query['agent'] })
      tell(error.message, { isError: true, link: { to, text: 'See the changes' } })
    } else fail(error)
    return undefined
  }
}
