/**
 * By which names this server may be asked for. A page of another site can send requests to a port of this machine, and by
 * DNS rebinding even read the answers, but then the Host header has that site's name: only names that can't be anyone
 * else's are taken, letter by letter, with the port. No patterns, no guessing.
 */
import { isIPv4 } from 'node:net'
import { InvalidError } from '../errors.ts'

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]']
const WILDCARDS = ['0.0.0.0', '::']
const NAME = /^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::\d{1,5})?$/

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

/** A host as it stands in a URL. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Throws on a name that could never be matched, rather than refuse every request to it later. */
export function checkedNames(names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const lower = name.toLowerCase()
    if (NAME.test(lower)) return lower
    throw new InvalidError(
      'allow-host',
      `"${name}" is no host name`,
      'a name or address as clients write it, such as memory.example.org, 192.0.2.7 or [2001:db8::7], with or without :PORT',
    )
  })
}

/** Every Host header that is answered. An added name without a port stands for itself and for itself with our port. */
export function allowedHosts(host: string, port: number, added: readonly string[]): ReadonlySet<string> {
  const own = WILDCARDS.includes(host) ? LOOPBACK_NAMES : [...LOOPBACK_NAMES, urlHost(host)]
  const withPort = own.map((name) => `${name}:${port}`)
  // A client leaves the port out where it is the scheme's own.
  const bare = port === 80 ? own : []
  const addedWithPort = added.filter((name) => !/:\d+$/.test(name)).map((name) => `${name}:${port}`)
  return new Set([...withPort, ...bare, ...added, ...addedWithPort])
}
