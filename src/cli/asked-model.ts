/** From the configuration and the environment to the model that a command works with. */
import { chooseModel } from '../complete/choose-model.ts'
import type { Model } from '../ports/complete.ts'
import { configAsked } from './asked-config.ts'
import type { Context } from './command.ts'

export async function modelAsked(context: Pick<Context, 'given' | 'asked'>): Promise<Model> {
  const { values } = await configAsked(context)
  return chooseModel(values.llm, process.env)
}
