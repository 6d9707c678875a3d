/** Where a program keeps its memory by itself, for who does not name a place. */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { KeepsakeError } from '../errors.ts'
import type { ImportFormat } from '../import/formats.ts'
import { usageError } from './arguments.ts'
import type { Surroundings } from './install/clients.ts'

/** The folder, if there is one; an error that says where it was looked for, or that the program has no such place. */
export function usualPlace(format: ImportFormat, around: Surroundings): string {
  const places = placesOf(format, around)
  const hint = `Say where it is: keepsake import ${format} PATH`
  if (places.length === 0) throw usageError(`${format} has no usual place`, hint)
  const found = places.find((place) => existsSync(place))
  if (found !== undefined) return found
  throw new KeepsakeError('NOT_FOUND', `there is no memory of ${format} at ${places.join(' or ')}`, { hint })
}

function placesOf(format: ImportFormat, { cwd, home, variable }: Surroundings): readonly string[] {
  const moved = (name: string): string | undefined => {
    const place = variable(name)
    return place === undefined ? undefined : resolve(cwd, place)
  }
  switch (format) {
    case 'server-memory': {
      const file = moved('MEMORY_FILE_PATH')
      return file === undefined ? [] : [file]
    }
    case 'basic-memory':
      return [moved('BASIC_MEMORY_HOME') ?? join(home(), 'basic-memory')]
    case 'claude-code': {
      const projects = join(moved('CLAUDE_CONFIG_DIR') ?? join(home(), '.claude'), 'projects')
      return projectFolders(cwd).map((folder) => join(projects, folder.replace(/[^A-Za-z0-9]/g, '-'), 'memory'))
    }
    case 'openclaw':
      return [join(moved('OPENCLAW_STATE_DIR') ?? join(home(), '.openclaw'), 'workspace')]
    case 'mem0':
      return []
  }
}

/** A project is known there by the root of its repository, and outside of one by the folder itself. */
function projectFolders(cwd: string): readonly string[] {
  const here = realpathSync(cwd)
  for (let folder = here; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return [...new Set([folder, here])]
    if (folder === dirname(folder)) return [here]
  }
}
