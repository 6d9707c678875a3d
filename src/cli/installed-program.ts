/**
 * The command that starts this program without a PATH and without the npm registry: Node and main.js, both by absolute paths
 * (docs/decisions/0026). This file must be beside main.ts, because the path is derived from its own.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export interface InstalledProgram {
  readonly node: string
  readonly main: string
}

export function installedProgram(): InstalledProgram {
  return { node: stableNode(process.execPath), main: join(import.meta.dirname, 'main.js') }
}

/** Homebrew deletes the folder of a version with the next upgrade, but keeps a link to the newest one. */
export function stableNode(path: string): string {
  const link = path.replace(/\/Cellar\/([^/]+)\/[^/]+\//, '/opt/$1/')
  return existsSync(link) ? link : path
}

/** Whether the program runs from the cache of npx, pnpm dlx, yarn dlx or bunx, which is cleared from time to time. */
export function isInRunnerCache({ main }: InstalledProgram): boolean {
  return /[\\/](_npx|dlx(-[^\\/]+)?|bunx-[^\\/]+)[\\/]/.test(main)
}
