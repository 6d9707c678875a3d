/** Which changes are shown, as the address has it. Pure. */
import { ORIGINS, type OriginBy } from '../../../model/entry.ts'

export interface ChangesFilter {
  readonly by: OriginBy | undefined
  readonly session: string | undefined
  /** The id of one entry, or its name. */
  readonly entry: string | undefined
}

export function filterIn(address: Readonly<Record<string, string>>): ChangesFilter {
  return {
    by: ORIGINS.find((origin) => origin === address['by']),
    session: address['session'],
    entry: address['entry'],
  }
}

export const ORIGIN_NAMES: Readonly<Record<OriginBy, string>> = {
  agent: 'Agents',
  user: 'On the page',
  hand: 'By hand',
  consolidation: 'Consolidation',
  'raw-fallback': 'Consolidation that failed',
  import: 'Imports',
  undo: 'Undone and redone',
}
