/**
 * What lies in a lock's folder: generations, each a link to its owner, or let go of, as its name says. Taking and letting go is
 * in lock.ts.
 */
import { readdirSync, readlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describeOwner, isProvablyDead, parseOwner, thisProcess } from './owner.ts'
import { codeOf, wrapped } from './system.ts'

/** The targets of the links that this copy of the module holds. */
export const heldHere: Set<string> = new Set()

export interface Generation {
  readonly generation: number
  /** Whether its owner has let go. */
  readonly done: boolean
  readonly name: string
}

export function newestOf(all: readonly Generation[]): Generation | undefined {
  let top: Generation | undefined
  for (const found of all) {
    if (!top || found.generation > top.generation || (found.generation === top.generation && found.done)) top = found
  }
  return top
}

export function generations(folder: string): Generation[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw wrapped('reading', folder, error)
  }
  return names.flatMap((name) => {
    const match = /^([1-9]\d{0,15})(\.done|\.undone)?$/.exec(name)
    return match ? [{ generation: Number(match[1]), done: match[2] !== undefined, name }] : []
  })
}

/**
 * Who is not done and may live. A number that somebody let go of is not held under it any more: who makes it late sees that, and takes
 * it back.
 */
export function livingOwner(folder: string, all: readonly Generation[]): string | undefined {
  for (const { generation, done } of all) {
    if (done || isLetGo(all, generation)) continue
    const target = ownerOf(folder, generation)
    if (target === undefined) return 'a process that is just letting go'
    const owner = parseOwner(target.split('/')[0] ?? '')
    if (!owner) return `"${target}"`
    if (!isProvablyDead(owner) && !isLeftOver(target)) return describeOwner(owner)
  }
  return undefined
}

function isLetGo(all: readonly Generation[], generation: number): boolean {
  return all.some((other) => other.generation === generation && other.done)
}

/** What is over. A late link of somebody who may live stays, and so does what tells that one to take it back. */
export function sweep(folder: string, others: readonly Generation[]): void {
  const isOver = ({ generation }: Generation): boolean => {
    const late = others.filter((other) => other.generation === generation && !other.done)
    return late.length === 0 || livingOwner(folder, late) === undefined
  }
  for (const { name } of others.filter(isOver)) remove(join(folder, name))
}

/** Ours by name, but nobody here holds it: its release failed. */
function isLeftOver(target: string): boolean {
  return parseOwner(target.split('/')[0] ?? '')?.copy === thisProcess().copy && !heldHere.has(target)
}

export function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    // Left for the next sweep: a lock must not fail for it.
    if (codeOf(error) === undefined) throw error
  }
}

export function ownerOf(folder: string, generation: number): string | undefined {
  try {
    return readlinkSync(join(folder, String(generation)))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw wrapped('reading', join(folder, String(generation)), error)
  }
}
