/** The model that counts, made; where none does, words that name every way to have one. A key is only ever taken from a variable. */
import { KeepsakeError } from '../errors.ts'
import { type OptionNames, requireOptions } from '../model/options.ts'
import type { Model } from '../ports/complete.ts'
import { anthropicModel } from './anthropic.ts'
import { type Environment, effectiveLlm, type Llm, type Provider, said, variableOf } from './effective-llm.ts'
import { openaiModel } from './openai.ts'
import type { ProviderOptions } from './provider.ts'

const MAKE: Readonly<Record<Provider, (options: ProviderOptions) => Model>> = {
  openai: openaiModel,
  anthropic: anthropicModel,
}

const LLM: OptionNames<Llm> = { provider: true, model: true, base_url: true, api_key_env: true }

/** A server that is named is asked without a key where there is none: those of one's own want none. */
export function chooseModel(llm: Llm | null, env: Environment): Model {
  if (llm !== null) requireOptions(llm, 'chooseModel', LLM)
  const chosen = effectiveLlm(llm, env)?.llm
  if (chosen === undefined) throw noModel(env)
  const { provider, model, base_url: baseUrl, api_key_env: named } = chosen
  const keyVariable = named ?? variableOf(provider, 'API_KEY')
  const apiKey = said(env, keyVariable)
  if (apiKey === undefined && baseUrl === null) throw noKey(chosen, keyVariable)
  return MAKE[provider]({
    ...{ model, keyVariable },
    ...(baseUrl === null ? {} : { baseUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
  })
}

const WAYS =
  'In agent.yaml, spec.memory: "llm: {provider: openai, model: NAME, base_url: ADDRESS}"; or in the environment OPENAI_MODEL, ' +
  'with OPENAI_BASE_URL for a server of your own (Ollama, LM Studio, vLLM, llama.cpp) or OPENAI_API_KEY; or ANTHROPIC_MODEL ' +
  'with ANTHROPIC_API_KEY. See docs/models.md.'

/** Only what is half said is told: an address or a key without a model. */
function noModel(env: Environment): KeepsakeError {
  for (const provider of ['openai', 'anthropic'] as const) {
    const names = [variableOf(provider, 'API_KEY'), variableOf(provider, 'BASE_URL')].filter((name) => said(env, name))
    if (names.length === 0) continue
    const message = `no model is named: ${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} set, but not ${variableOf(provider, 'MODEL')}`
    return new KeepsakeError('NO_MODEL', message, {
      hint: `Set ${variableOf(provider, 'MODEL')} to the name of a model. ${WAYS}`,
    })
  }
  return new KeepsakeError('NO_MODEL', 'no model is configured', { hint: WAYS })
}

function noKey({ provider, model }: Llm, keyVariable: string): KeepsakeError {
  return new KeepsakeError('NO_MODEL', `the model ${model} of ${provider} needs a key, and ${keyVariable} is not set`, {
    hint: `Put the key into ${keyVariable}, or name a server that wants none: base_url, or ${variableOf(provider, 'BASE_URL')}.`,
  })
}
