/**
 * What runs unattended sends memories only to a server that its user chose: an `agent.yaml` that was merely found may have come with a
 * clone, and would have every conversation sent to whom it likes. A server on this machine is nobody else's.
 */
import type { Config } from '../config/load-config.ts'
import { KeepsakeError } from '../errors.ts'
import { isLoopback } from '../model/server-address.ts'
import { configNamed } from './asked-config.ts'
import type { Context } from './command.ts'

export function refuseForeignServer(config: Config, context: Pick<Context, 'given'>): void {
  if (!isFoundServer(config, context)) return
  const { workspace } = config.values
  const { where } = config.sources.workspace
  throw new KeepsakeError('UNSUPPORTED', `${where} leads to ${workspace}, and a file that was only found may not`, {
    hint: 'If it is yours, say so where this is started: --workspace ADDRESS, --config FILE, or KEEPSAKE_WORKSPACE.',
    data: { workspace },
  })
}

/** Whether a file that nobody named leads beyond this machine. */
export function isFoundServer({ values, sources }: Config, context: Pick<Context, 'given'>): boolean {
  if (values.backend !== 'chroma' || sources.workspace.from === 'asked' || configNamed(context) !== undefined)
    return false
  return !isLoopback(values.url)
}
