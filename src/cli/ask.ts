/** Asking before something goes: on a terminal with a question, elsewhere by insisting on `--yes`. */

import { markInvisible } from '../prompt/invisible.ts'
import { usageError } from './arguments.ts'
import type { Context, Option } from './command.ts'

export const YES: Option = { name: 'yes', about: 'do it without asking' }

export const DRY_RUN: Option = { name: 'dry-run', about: 'only tell what would be done' }

export interface Question {
  /** What is asked on a terminal: `Remove the note "deploys"?` */
  readonly question: string
  /** What a program is told: `this would remove the note "deploys"`. */
  readonly would: string
  /** What did not happen: `nothing was removed`. */
  readonly spared: string
  /** What it takes an agreement for: `remove it`. */
  readonly deed: string
}

/** Returns once someone has said that it is meant; else fails. */
export async function insist({ given }: Context, { question, would, spared, deed }: Question): Promise<void> {
  if (given.has('yes')) return
  if (given.has('json') || !canAsk()) {
    throw usageError(would, `${spared.replace(/^n/, 'N')}. Say --yes to ${deed}.`)
  }
  if (!(await isMeant(`${question} [y/N] `))) throw usageError(spared, `Answer y to ${deed}, or say --yes.`)
}

function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

async function isMeant(question: string): Promise<boolean> {
  process.stderr.write(markInvisible(question))
  for await (const line of process.stdin) return /^y(es)?$/i.test(String(line).trim())
  return false
}
