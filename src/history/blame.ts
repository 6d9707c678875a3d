/**
 * Which change brought each line of an entry: its versions from the oldest on, each compared with the one before. Pure.
 * An undo brings nothing of its own: what it restores belongs to whom it belonged to before.
 */
import type { Entry, Scope } from '../model/entry.ts'
import type { Change } from '../model/operation.ts'
import type { EntryVersion } from '../ports/store.ts'
import { lineDiff, linesOf } from './line-diff.ts'

export interface BlamedLine {
  readonly text: string
  /** Missing when the line is older than the history that is kept. */
  readonly change?: Change
}

export interface Blame {
  readonly entry: Entry
  readonly lines: readonly BlamedLine[]
}

export interface Version {
  /** Missing in the state where the kept history begins. */
  readonly change?: Change
  /** `undefined`: the change removed the entry. */
  readonly content: string | undefined
}

/** `versions`: all states of the entry, oldest first. `scopes`: a change that left the entry in another scope is another agent's, and is not named. */
export function blameOf(entry: Entry, versions: readonly EntryVersion[], scopes: readonly Scope[]): Blame {
  const states = versions.map(({ change, entry: state }): Version => {
    const isForeign = state !== undefined && !scopes.includes(state.scope)
    return { content: state?.content, ...(change && !isForeign ? { change } : {}) }
  })
  // In a read-only memory, no change records an external edit.
  if (states.at(-1)?.content !== entry.content) states.push({ content: entry.content })
  return { entry, lines: blameLines(states) }
}

/** The lines of the last version; oldest version first. */
export function blameLines(versions: readonly Version[]): readonly BlamedLine[] {
  const blamed: (readonly BlamedLine[])[] = []
  for (const [index, { change, content = '' }] of versions.entries()) {
    const before = blamed[index - 1] ?? []
    const restored = change?.reverts === undefined ? [] : (blamed[firstOf(versions, change.reverts) - 1] ?? [])
    const newcomer = (text: string): BlamedLine => ({ text, ...(change ? { change } : {}) })
    const kept = keptFrom(before, content)
    const back = keptFrom(restored, content)
    blamed.push(linesOf(content).map((text, line) => back[line] ?? kept[line] ?? newcomer(text)))
  }
  return blamed.at(-1) ?? []
}

function firstOf(versions: readonly Version[], numbers: readonly number[]): number {
  return versions.findIndex(({ change }) => change !== undefined && numbers.includes(change.number))
}

/** By line of `content`: the line of the earlier version that it is, if it is one. */
function keptFrom(earlier: readonly BlamedLine[], content: string): readonly (BlamedLine | undefined)[] {
  const out: (BlamedLine | undefined)[] = []
  let line = 0
  for (const { kind } of lineDiff(earlier.map(({ text }) => text).join('\n'), content)) {
    if (kind !== 'removed') out.push(kind === 'same' ? earlier[line] : undefined)
    if (kind !== 'added') line++
  }
  return out
}
