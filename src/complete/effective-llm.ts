/**
 * Which model counts: the one of `agent.yaml`, else the one that the environment names. Pure: the environment is handed in. Keys
 * are not looked at, only where they are.
 */
export type Provider = 'openai' | 'anthropic'

export const OWN_ADDRESSES: Readonly<Record<Provider, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
}

/** `llm` of `agent.yaml`; `null` is "the provider's own". */
export interface Llm {
  readonly provider: Provider
  readonly base_url: string | null
  readonly model: string
  readonly api_key_env: string | null
}

export type Environment = Readonly<Record<string, string | undefined>>

export interface EffectiveLlm {
  readonly llm: Llm
  /** The variables that said something about it. */
  readonly variables: readonly string[]
}

export function effectiveLlm(llm: Llm | null, env: Environment): EffectiveLlm | undefined {
  const wanted = llm ?? namedLlm(env)
  if (wanted === undefined) return undefined
  const variable = variableOf(wanted.provider, 'BASE_URL')
  const own = wanted.base_url === null ? said(env, variable) : undefined
  return {
    llm: own === undefined ? wanted : { ...wanted, base_url: own },
    variables: [
      ...(llm === null ? [variableOf(wanted.provider, 'MODEL')] : []),
      ...(own === undefined ? [] : [variable]),
    ],
  }
}

function namedLlm(env: Environment): Llm | undefined {
  for (const provider of ['openai', 'anthropic'] as const) {
    const model = said(env, variableOf(provider, 'MODEL'))
    if (model !== undefined) return { provider, base_url: null, model, api_key_env: null }
  }
  return undefined
}

export function variableOf(provider: Provider, what: 'MODEL' | 'BASE_URL' | 'API_KEY'): string {
  return `${provider.toUpperCase()}_${what}`
}

/** A variable that is set to nothing is as good as none. */
export function said(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined
}
