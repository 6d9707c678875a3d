/**
 * What runs unattended sends memories only to a server that its user chose: an `agent.yaml` that was merely found may have come with a
 * clone, and would have every conversation sent to whom it likes.
 */
import { isFoundServer } from '../config/found-server.ts'
import type { Config } from '../config/load-config.ts'
import { KeepsakeError } from '../errors.ts'

export function refuseForeignServer(config: Config): void {
  if (!isFoundServer(config)) return
  const { workspace } = config.values
  const { where } = config.sources.workspace
  throw new KeepsakeError('UNSUPPORTED', `${where} leads to ${workspace}, and a file that was only found may not`, {
    hint: 'If it is yours, say so where this is started: --workspace ADDRESS, --config FILE, or KEEPSAKE_WORKSPACE.',
    data: { workspace },
  })
}
