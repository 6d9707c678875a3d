/** Which client is meant, and which of its files: from what was typed and where. */
import { isAbsolute } from 'node:path'
import { InvalidError, KeepsakeError } from '../../errors.ts'
import { nearest } from '../../model/nearest.ts'
import { usageError } from '../arguments.ts'
import type { Context, Option } from '../command.ts'
import {
  CLIENT_NAMES,
  CLIENTS,
  type Client,
  type Place,
  type Places,
  SCOPES,
  type Scope,
  type Surroundings,
} from './clients.ts'

export const SCOPE: Option = {
  name: 'scope',
  value: SCOPES.join('|'),
  about: 'the file of this project, or the one for all projects; default: project for claude and opencode, else user',
}

export interface Target {
  readonly name: string
  readonly client: Client
  /** Undefined: the client is only shown what to paste. */
  readonly scope: Scope | undefined
  /** Undefined: there is no file that we would write. */
  readonly place: Place | undefined
  /** The same for hooks. */
  readonly hooksPlace: Place | undefined
}

export function targetOf({ given, asked }: Context): Target {
  const name = given.operand(0).toLowerCase()
  const client = CLIENT_NAMES.includes(name) ? CLIENTS[name] : undefined
  if (!client) throw unknownClient(given.operand(0))
  const scope = scopeOf(client, given.one('scope'))
  const around: Surroundings = { cwd: asked.cwd, home: homeFolder, variable }
  const placeIn = (places: Places | undefined): Place | undefined => (scope ? places?.[scope]?.(around) : undefined)
  return { name, client, scope, place: placeIn(client.places), hooksPlace: placeIn(client.hooks?.places) }
}

function scopeOf({ title, places, commands }: Client, wanted: string | undefined): Scope | undefined {
  const known = SCOPES.filter((scope) => places[scope] || commands?.[scope])
  if (wanted === undefined) return Object.keys(places)[0] as Scope | undefined // the table's keys are scopes
  const scope = SCOPES.find((one) => one === wanted)
  if (!scope) throw new InvalidError('scope', `there is no scope "${wanted}"`, SCOPES.join(', '))
  if (known.includes(scope)) return scope
  throw usageError(
    `install writes no file for ${title}`,
    'Leave --scope out: it shows what to paste into the file that you choose.',
  )
}

function unknownClient(word: string): KeepsakeError {
  const near = nearest(word, CLIENT_NAMES)
  const all = `Known are ${CLIENT_NAMES.join(', ')}.`
  return usageError(
    `there is no client "${word}" here`,
    near === undefined ? `${all} For any other, "generic" shows what to paste.` : `Did you mean "${near}"? ${all}`,
  )
}

/** Not node:os's homedir, which falls back to another than the client may look at. */
function homeFolder(): string {
  const home = variable('HOME') ?? variable('USERPROFILE')
  if (home !== undefined && isAbsolute(home)) return home
  throw new KeepsakeError('INVALID', 'the home folder is not known: HOME is not set to an absolute path', {
    hint: 'Set HOME, or choose the file of this project with --scope project.',
  })
}

function variable(name: string): string | undefined {
  return process.env[name] || undefined
}
