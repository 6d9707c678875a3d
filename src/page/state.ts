/**
 * What the whole page shares: the workspace, whose memory is shown, what changed by now, and what is to be said about it. Views hold
 * what is theirs themselves.
 */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { UndoAnswer, Workspace } from '../api/contract.ts'
import { ApiError, follow, get, send } from './client.ts'
import { hintOf } from './hints.ts'
import { href, route } from './route.ts'

/** `undefined`: not loaded yet. */
export const workspace: Signal<Workspace | undefined> = signal(undefined)

/** Whose memory is shown: as the address says, else the server's own. */
export const agent: ReadonlySignal<string> = computed(() => route.value.query['agent'] ?? workspace.value?.agent ?? '')

/** Counts how often the memory has, or may have, changed: a view that reads it loads again. */
export const changed: Signal<{ readonly count: number }> = signal({ count: 0 })

export const isConnected: Signal<boolean> = signal(true)

/** In a tab that nobody sees nothing is followed: a browser has six connections to a server, for all of its tabs together. */
export const isVisible: Signal<boolean> = signal(document.visibilityState === 'visible')

document.addEventListener('visibilitychange', () => {
  isVisible.value = document.visibilityState === 'visible'
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
}

/** What comes together is shown together: an import tells of a thousand changes in a row, and each look asks the server. */
const GATHER_MS = 150

let isWaiting = false

/** Has every view load again, soon. For what others did, which the server tells, and for what was done here, which it may not. */
export function lookAgain(): void {
  if (isWaiting) return
  isWaiting = true
  setTimeout(() => {
    isWaiting = false
    changed.value = { count: changed.value.count + 1 }
    loadWorkspace().catch(fail)
  }, GATHER_MS)
}

/** Follows one agent's memory until it is called off. */
export async function followChanges(whose: string, signal: AbortSignal): Promise<void> {
  await follow({ agent: whose }, signal, {
    connected: (is) => {
      isConnected.value = is
    },
    // `ready` is told first: what was loaded before it may have changed since, and nobody tells of that.
    event: (name) => {
      if (name === 'change' || name === 'ready') lookAgain()
    },
  }).catch(fail)
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
