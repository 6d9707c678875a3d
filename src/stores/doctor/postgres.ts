/** `keepsake doctor` of a memory on PostgreSQL: reads every row in one transaction. It repairs nothing: that is what backups are for. */
import { isKeepsakeError, type KeepsakeError } from '../../errors.ts'
import { postgresAddress } from '../../model/postgres-address.ts'
import { bySeverity, type Examination } from '../disk/doctor/examination.ts'
import { type Finding, finding } from '../disk/doctor/finding.ts'
import type { AskedSettings } from '../disk/doctor/settings-differ.ts'
import type { Limits } from '../engine/postgres.ts'
import { PostgresDatabase, type PostgresOptions } from '../engine/postgres-database.ts'
import { checkContent, checkRows, checkTables, readRowsByKey } from './tables.ts'

const RESTORE_HINT = 'Restore a backup into another schema: keepsake restore FILE --workspace postgres://…?schema=NAME'
const NOTHING_CHECKED = { files: 0, entries: 0, changes: 0, sessions: 0 }

export async function examinePostgres(
  options: Pick<PostgresOptions, 'place'> & Limits,
  wish: AskedSettings,
): Promise<Examination> {
  const database = new PostgresDatabase({ ...options, initialize: async () => undefined })
  try {
    if (!(await database.exists())) return { findings: [noMemoryFinding()], checked: NOTHING_CHECKED }
    const [tables, isPartial] = await database.snapshot(async (sql, close) => {
      const checked = [await checkTables(sql, readRowsByKey), await sql.hidesRows?.()] as const
      await close()
      return checked
    })
    const { entries, changes, transcripts } = tables.rows
    const sessions = new Set(transcripts.map(({ scope, key }) => `${scope}\0${key}`)).size
    // Partly hidden tables seem to contradict each other.
    const rows = isPartial
      ? [hiddenRowsFinding(), ...checkRows({ ...tables, contradictions: [] }, RESTORE_HINT)]
      : checkRows(tables, RESTORE_HINT)
    return {
      findings: [...rows, ...checkContent(tables, wish)].map(markNotFixable).sort(bySeverity),
      checked: { files: 0, entries: entries.length, changes: changes.length, sessions },
    }
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return { findings: [refusalFinding(error, postgresAddress(options.place))], checked: NOTHING_CHECKED }
  } finally {
    await database.close()
  }
}

function markNotFixable(found: Finding): Finding {
  return { ...found, fixable: false }
}

function hiddenRowsFinding(): Finding {
  const problem = 'row-level security hides part of this memory from your role: only what it sees was checked'
  return finding('hidden-rows', '.', problem, 'To check all of it, connect as the owner of the schema.')
}

function noMemoryFinding(): Finding {
  return finding('no-workspace', '.', 'there is no memory here yet', 'The first write creates it, or: keepsake init')
}

/** Why every other command fails on this memory, too. */
function refusalFinding(error: KeepsakeError, address: string): Finding {
  const codes = { FOREIGN: 'unusable-server', NEWER: 'unusable-server', DAMAGED: 'damaged-record' } as const
  const code = error.code in codes ? codes[error.code as keyof typeof codes] : 'unreachable-server' // it is one of them
  return finding(code, '.', error.message.replace(`${address}: `, ''), error.hint ?? "Look at the server's log.")
}
