/** The version of this program, from its package. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export function programVersion(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')).version
}
