/** From the configuration and the environment to the model that a command works with. */
import { chooseModel } from '../complete/choose-model.ts'
import { effectiveLlm, OWN_ADDRESSES } from '../complete/effective-llm.ts'
import { foreignIn, hostOf } from '../complete/foreign-in.ts'
import { KeepsakeError } from '../errors.ts'
import type { Model } from '../ports/complete.ts'
import { configAsked } from './asked-config.ts'
import type { Context } from './command.ts'

export async function modelAsked(context: Pick<Context, 'given' | 'asked'>): Promise<Model> {
  const { values } = await configAsked(context)
  return chooseModel(values.llm, process.env)
}

/** For who is not there to look at it: only one that gets nothing that the user's own environment would not give it. */
export async function modelUnattended(context: Pick<Context, 'given' | 'asked'>): Promise<Model> {
  const { values } = await configAsked(context)
  const foreign = values.llm === null ? undefined : foreignIn(values.llm, process.env)
  if (foreign === undefined) return chooseModel(values.llm, process.env)
  throw new KeepsakeError('NO_MODEL', `the model of this project is not asked unattended: its ${foreign}`, {
    hint: 'If that is right, run "keepsake consolidate --all" yourself. What is allowed: docs/hooks.md.',
  })
}

/** Where conversations go, unless it is to the provider itself. */
export async function hostAsked(context: Pick<Context, 'given' | 'asked'>): Promise<string | undefined> {
  const { values } = await configAsked(context)
  const { provider = 'openai', base_url: address = null } = effectiveLlm(values.llm, process.env)?.llm ?? {}
  if (address === null || hostOf(address) === hostOf(OWN_ADDRESSES[provider])) return undefined
  return hostOf(address)
}
