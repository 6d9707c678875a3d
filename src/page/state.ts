/**
 * What the whole page shares: the workspace, whose memory is shown, what changed by now, and what is to be said about it. Views hold
 * what is theirs themselves.
 */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { ChangeEvent, UndoAnswer, Workspace } from '../api/contract.ts'
import { ApiError, follow, get, send } from './client.ts'
import { route } from './route.ts'

/** `undefined`: not loaded yet. */
export const workspace: Signal<Workspace | undefined> = signal(undefined)

/** Whose memory is shown: as the address says, else the server's own. */
export const agent: ReadonlySignal<string> = computed(() => route.value.query['agent'] ?? workspace.value?.agent ?? '')

/** Counts what came from the server, so that a view that reads it loads again; with what it was that changed last. */
export const changed: Signal<{ readonly count: number } & ChangeEvent> = signal({ count: 0, ids: [], gone: [] })

export const isConnected: Signal<boolean> = signal(true)

/** In a tab that nobody sees nothing is followed: a browser has six connections to a server, for all of its tabs together. */
export const isVisible: Signal<boolean> = signal(document.visibilityState === 'visible')

document.addEventListener('visibilitychange', () => {
  isVisible.value = document.visibilityState === 'visible'
})

/** The key is gone or was never there: nothing can be shown. */
export const isLockedOut: Signal<boolean> = signal(false)

export interface Notice {
  readonly id: number
  readonly text: string
  readonly hint?: string
  readonly isError: boolean
  /** The change that an "Undo" beside it takes back. */
  readonly undo?: number
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
    else
      tell(error.message, { isError: true, ...(error.failure.hint === undefined ? {} : { hint: error.failure.hint }) })
    return
  }
  tell(error instanceof Error ? error.message : String(error), { isError: true })
}

export async function loadWorkspace(): Promise<void> {
  workspace.value = await get<Workspace>('/workspace')
}

/** What comes together is shown together: an import tells of a thousand changes in a row, and each look asks the server. */
const GATHER_MS = 150

/** Whether somebody was told nothing for a while, and so has to look again. */
let hasMissed = false

/** Follows one agent's memory until it is called off. */
export async function followChanges(whose: string, signal: AbortSignal): Promise<void> {
  const gathered = { ids: new Set<string>(), gone: new Set<string>() }
  let isWaiting = false
  const showAfter = (ms: number): void => {
    if (isWaiting) return
    isWaiting = true
    setTimeout(show, ms)
  }
  const show = (): void => {
    isWaiting = false
    if (signal.aborted) return
    changed.value = { count: changed.value.count + 1, ids: [...gathered.ids], gone: [...gathered.gone] }
    gathered.ids.clear()
    gathered.gone.clear()
    loadWorkspace().catch(fail)
  }
  await follow({ agent: whose }, signal, {
    connected: (is) => {
      // What was missed meanwhile nobody tells: everything counts as changed.
      if (is && (hasMissed || !isConnected.value)) showAfter(0)
      hasMissed = false
      isConnected.value = is
    },
    event: (name, data) => {
      if (name !== 'change') return
      const { ids, gone } = JSON.parse(data) as ChangeEvent // our own server's
      for (const id of ids) gathered.ids.add(id)
      for (const id of gone) gathered.gone.add(id)
      showAfter(GATHER_MS)
    },
  }).catch(fail)
  hasMissed = true
}

/** Takes a change back and offers to bring it back. */
export async function undo(change: number): Promise<UndoAnswer | undefined> {
  try {
    const undone = await send<UndoAnswer>('POST', '/undo', { agent: agent.value }, { changes: [change] })
    tell(`Undone: change ${undone.undone.join(', ')}`, undone.change === undefined ? {} : { undo: undone.change })
    for (const warning of undone.warnings) tell(warning)
    return undone
  } catch (error) {
    fail(error)
    return undefined
  }
}
