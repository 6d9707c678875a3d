/**
 * A server beyond this machine that nobody but a found `agent.yaml` names. Such a file may have come with a clone, so it does not decide who
 * gets what is the person's own. A server on this machine is nobody else's.
 */
import { KeepsakeError } from '../errors.ts'
import { isLocalHost, parsePostgresAddress } from '../model/postgres-address.ts'
import { isLoopback } from '../model/server-address.ts'
import { isOnServer } from './keys.ts'
import type { Config } from './load-config.ts'

export function isFoundServer({ values, sources, isFileNamed }: Config): boolean {
  if (!isOnServer(values.backend) || sources.workspace.from === 'asked' || isFileNamed) return false
  if (values.backend === 'postgres') return !isLocalHost(parsePostgresAddress(values.workspace).host)
  return !isLoopback(values.url)
}

/** The token of the environment is meant for the person's own server. One that the file itself holds is meant for what it leads to. */
export function refuseTokenForFound(config: Config): void {
  const { values, sources, file } = config
  const { workspace, backend } = values
  const key = backend === 'postgres' ? 'password' : 'token'
  if (values[key] === null || sources[key].from !== 'asked' || !isFoundServer(config)) return
  const leads = `${sources.workspace.where} leads there, and was only found`
  throw new KeepsakeError('UNSUPPORTED', `${sources[key].label} is not sent to ${workspace}: ${leads}`, {
    hint: `If that server is yours, name it: --config ${file}, or --workspace ${workspace}. If not, unset the variable.`,
    data: { workspace },
  })
}
