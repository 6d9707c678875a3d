/**
 * The command line without a process of its own, for the many cases that differ in words alone: a start costs more than all
 * that such a case looks at. That a real process prints the same is for the tests that start one.
 */
import { vi } from 'vitest'
import { answer } from '../../src/cli/answer.ts'
import type { Outcome } from '../../src/cli/command.ts'
import { EXIT_STATUS } from '../../src/cli/exit-status.ts'
import { isKeepsakeError } from '../../src/errors.ts'
import { cleanEnvironment, type Desk, type Printed, type RunOptions } from './keepsake.ts'

/** From here on, and until this test file is through, this process stands where the commands of that desk start. */
export function sitDownAt(desk: Desk): void {
  process.chdir(desk.folder)
  const clean = cleanEnvironment(desk.folder)
  for (const name of Object.keys(process.env)) {
    if (/^(KEEPSAKE|XDG)_/.test(name)) vi.stubEnv(name, undefined)
  }
  for (const [name, value] of Object.entries(clean)) vi.stubEnv(name, value)
}

/** As Desk.json gives it. */
export async function jsonHere(args: readonly string[]): Promise<Printed> {
  try {
    const { json } = await answer(['--json', ...args])
    return { ...JSON.parse(JSON.stringify(json)), status: 0 }
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    const { code, message, hint = '' } = error
    return { error: { code, message, hint }, status: EXIT_STATUS[code] }
  }
}

let last: Promise<unknown> = Promise.resolve()

/** As Desk.json, in its folder and with an environment of its own; a process has one of each, so they come one after the other. */
export function jsonFrom(desk: Desk, args: readonly string[], options: RunOptions = {}): Promise<Printed> {
  return atDesk(desk, options, () => jsonHere(args))
}

/** All that a command would print, in both forms. */
export function outcomeFrom(desk: Desk, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return atDesk(desk, options, () => answer(args))
}

function atDesk<T>(desk: Desk, { env, cwd }: RunOptions, run: () => Promise<T>): Promise<T> {
  const printed = last.then(async () => {
    const before = { env: { ...process.env }, folder: process.cwd() }
    setEnvironment(cleanEnvironment(desk.folder, env))
    process.chdir(cwd ?? desk.folder)
    try {
      return await run()
    } finally {
      setEnvironment(before.env)
      process.chdir(before.folder)
    }
  })
  last = printed.catch(() => undefined)
  return printed
}

/** Name by name: what stands in another object in place of `process.env` is not what the system takes for the home folder. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
}

/** With the workspace of a desk, wherever this process stands: several of them may run at once. */
export function jsonAt(desk: Desk, args: readonly string[]): Promise<Printed> {
  return jsonHere(['--workspace', desk.workspace, ...args])
}

/** As Desk.make. */
export async function makeAt(desk: Desk, args: readonly string[]): Promise<void> {
  const { status, error } = await jsonAt(desk, args)
  if (status !== 0) throw new Error(`keepsake ${args.join(' ')}: ${error.message}`)
}
