/** The version of this program, from its package. */
import { readFileSync } from 'node:fs'

export function programVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
