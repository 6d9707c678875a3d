/**
 * What an `agent.yaml` may say where nobody is there to look at it: a hook condenses the sessions of every project, also of one that
 * was only just cloned. Such a file may choose provider and model, but not where conversations and keys go. Pure.
 */
import { type Environment, type Llm, OWN_ADDRESSES, said, variableOf } from './effective-llm.ts'

/** What of it the user's environment does not stand for, in words; `undefined`: nothing. */
export function foreignIn(llm: Llm, env: Environment): string | undefined {
  const { provider, base_url: address, api_key_env: variable } = llm
  if (address !== null && !isKnown(address, [OWN_ADDRESSES[provider], said(env, variableOf(provider, 'BASE_URL'))])) {
    return `base_url leads to ${hostOf(address)}`
  }
  const own = variableOf(provider, 'API_KEY')
  return variable === null || variable === own ? undefined : `api_key_env is not ${own}`
}

function isKnown(address: string, known: readonly (string | undefined)[]): boolean {
  const url = urlOf(address)
  if (!url) return false
  return isLoopback(url) || known.some((one) => one !== undefined && sameAddress(url, urlOf(one)))
}

/** `undefined`: no address that a model may have. One with a user name in it hides where it leads to. */
function urlOf(address: string): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url : undefined
}

/** The parser has made 127.0.0.1 of 0x7f.1, 2130706433 and 0177.0.0.1, and fetch goes by the same one. */
function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

function sameAddress(one: URL, other: URL | undefined): boolean {
  const path = ({ pathname }: URL): string => pathname.replace(/\/+$/, '')
  return one.origin === other?.origin && path(one) === path(other) && one.search === other.search
}

/** For people; nothing of what else may stand in an address. */
export function hostOf(address: string): string {
  return (URL.canParse(address) && new URL(address).host) || 'no host'
}
