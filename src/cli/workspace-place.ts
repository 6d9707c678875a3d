/** Which folder is meant: the option, else the environment, else what the current folder says. */
import { type Stats, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { findWorkspace, WORKSPACE_FOLDER } from '../config/find-workspace.ts'
import { InvalidError, KeepsakeError } from '../errors.ts'

/** Where a command looks for its memory. */
export function workspaceToUse(asked: string | undefined, cwd: string): string {
  return asked === undefined ? findWorkspace(cwd) : askedFolder(asked, cwd)
}

/** Where `init` makes one: here, so that the next command finds it. */
export function workspaceToMake(asked: string | undefined, cwd: string): string {
  return asked === undefined ? join(cwd, WORKSPACE_FOLDER) : askedFolder(asked, cwd)
}

function askedFolder(asked: string, cwd: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(asked)) throw unsupported(asked, 'a memory on a server')
  const path = asked === '~' || asked.startsWith('~/') ? join(homedir(), asked.slice(1)) : resolve(cwd, asked)
  const found = statOf(path)
  if (found?.isDirectory()) return path
  if (found) throw new InvalidError('workspace', `${path} is not a folder`, 'a folder, or a path where one can be made')
  if (basename(path).endsWith('.keepsake') && basename(path) !== WORKSPACE_FOLDER) {
    throw unsupported(asked, 'a memory in one file')
  }
  return path
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new KeepsakeError('IO', `${path} can't be reached: ${reason}`, {
      hint: 'Check the path and the modes of the folders on it, or name another with --workspace.',
      cause,
    })
  }
}

function unsupported(asked: string, what: string): KeepsakeError {
  return new KeepsakeError('UNSUPPORTED', `--workspace ${asked} names ${what}, which comes with a later version`, {
    hint: 'Name a folder.',
  })
}
