/** Where to listen and whom to let in, as the options of a command that serves over HTTP say it. */
import { resolve } from 'node:path'
import { readTextFile } from '../config/read-text-file.ts'
import { InvalidError } from '../errors.ts'
import type { HttpOptions } from '../http/serve.ts'
import { wholeNumber } from '../model/number.ts'
import type { Context, Option } from './command.ts'

export const DEFAULT_PORT = 4242
const DEFAULT_HOST = '127.0.0.1'

export const HTTP_OPTIONS = ['port', 'host', 'token-file', 'allow-host'] as const

/** `only`: what the help says before each, where the command can do without HTTP. */
export function httpOptionsHelp(only = ''): readonly Option[] {
  return [
    { name: 'port', value: 'PORT', about: `${only}where to listen, default ${DEFAULT_PORT}; 0 takes a free one` },
    { name: 'host', value: 'HOST', about: `${only}the address to listen at, default ${DEFAULT_HOST}` },
    { name: 'token-file', value: 'FILE', about: `${only}a file with the token that clients must show` },
    {
      name: 'allow-host',
      value: 'NAME',
      many: true,
      about: `${only}one more name that clients may call this machine by; may be repeated`,
    },
  ]
}

export function httpOptions({ given, asked }: Context): Omit<HttpOptions, 'signal'> {
  const file = given.one('token-file')
  const token = file === undefined ? process.env['KEEPSAKE_MCP_TOKEN'] || undefined : tokenOf(resolve(asked.cwd, file))
  return {
    host: given.one('host') ?? DEFAULT_HOST,
    port: wholeNumber(given.number('port') ?? DEFAULT_PORT, 'port', 0, 65_535),
    ...(token === undefined ? {} : { token }),
    allowHosts: given.all('allow-host'),
  }
}

function tokenOf(path: string): string {
  const token = readTextFile(path).trim()
  if (token === '') throw new InvalidError('token-file', `${path} is empty`, 'a file with a token in it')
  return token
}
