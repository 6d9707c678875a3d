/** All that people see of a workspace, as one value: names, modes and bytes. */
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export function visibleTree(workspace: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(workspace, { recursive: true, encoding: 'utf8' }).sort()) {
    if (name.startsWith('.state')) continue
    const stats = lstatSync(join(workspace, name))
    hash.update(`${name}\0${stats.mode}\0`).update(stats.isFile() ? readFileSync(join(workspace, name)) : '')
  }
  return hash.digest('hex')
}
