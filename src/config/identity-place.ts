/** An identity file may lie outside the workspace; inside it, it is a name in the agent's folder and nothing else. */
import { isAbsolute, relative, sep } from 'node:path'
import { InvalidError } from '../errors.ts'
import { KEYS } from './keys.ts'
import type { Config } from './load-config.ts'

/** The identity file that lies outside, absolute. */
export function identityOutside({ values }: Config): string | undefined {
  return isAbsolute(values.identity_file) ? values.identity_file : undefined
}

export function refuseIdentityInside(config: Config): void {
  const path = identityOutside(config)
  if (path === undefined || !isInside(config.values.workspace, path)) return
  const { where } = config.sources.identity_file
  throw new InvalidError(`${where}: identity_file`, `${path} lies in the workspace`, KEYS.identity_file.type.allowed)
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
