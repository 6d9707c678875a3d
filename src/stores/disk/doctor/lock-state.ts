/** What can be told of a lock by looking at its folder. One that a living process of this machine holds is no finding. */
import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describeOwner, isProvablyDead, parseOwner, thisProcess } from '../owner.ts'
import { codeOf } from '../system.ts'
import { type Finding, finding } from './finding.ts'

/** `held`: by someone who lives here. `left`: by someone who provably does not. `unknown`: there is no telling. */
export type LockState = { readonly is: 'free' | 'held' } | { readonly is: 'left' | 'unknown'; readonly owner: string }

export function lookAtLock(folder: string): LockState {
  const top = newestGeneration(folder)
  if (top === undefined || top.includes('.')) return { is: 'free' }
  let target: string
  try {
    target = readlinkSync(join(folder, top))
  } catch (error) {
    // It was released after the folder was read.
    if (codeOf(error) === 'ENOENT') return lookAtLock(folder)
    return { is: 'unknown', owner: 'a program that can not be told: this is not a link of ours' }
  }
  const owner = parseOwner(target.split('/')[0] ?? '')
  if (!owner) return { is: 'unknown', owner: `"${target}"` }
  if (isProvablyDead(owner)) return { is: 'left', owner: describeOwner(owner) }
  const me = thisProcess()
  const isHere = owner.host === me.host && owner.boot === me.boot && owner.namespace === me.namespace
  return isHere ? { is: 'held' } : { is: 'unknown', owner: describeOwner(owner) }
}

/** `what`: `lock` or `lease`. */
export function lockFinding(path: string, what: string, state: LockState): Finding[] {
  switch (state.is) {
    case 'left': {
      const problem = `its owner, ${state.owner}, is gone`
      return [finding('stale-lock', path, problem, `Harmless: whoever needs the ${what} next takes it over.`)]
    }
    case 'unknown': {
      const hint = `If that program is gone for good, remove the folder ${path}; until then, writing waits for it.`
      return [finding('foreign-lock', path, `it is held by ${state.owner}`, hint)]
    }
    default:
      return []
  }
}

function newestGeneration(folder: string): string | undefined {
  const names = namesIn(folder).filter((name) => /^[1-9]\d{0,15}(\.done|\.undone)?$/.test(name))
  // Of one generation, the name that says it is done counts.
  names.sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10) || b.length - a.length)
  return names[0]
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // there is none, or the walk has said that it can't be read
  }
}
