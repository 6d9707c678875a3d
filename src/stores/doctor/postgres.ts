/** `keepsake doctor` of a memory on PostgreSQL: reads every row in one transaction. It repairs nothing: that is what backups are for. */
import { isKeepsakeError, type KeepsakeError } from '../../errors.ts'
import { postgresAddress } from '../../model/postgres-address.ts'
import { bySeverity, type Examination } from '../disk/doctor/examination.ts'
import { type Finding, finding } from '../disk/doctor/finding.ts'
import type { AskedSettings } from '../disk/doctor/settings-differ.ts'
import type { Limits } from '../engine/postgres.ts'
import { PostgresDatabase, type PostgresOptions } from '../engine/postgres-database.ts'
import { checkContent, checkRows, checkTables, readRowsByKey } from './tables.ts'

const HINT = 'Restore a backup into another schema: keepsake restore FILE --workspace postgres://…?schema=NAME'
const NOTHING = { files: 0, entries: 0, changes: 0, sessions: 0 }

export async function examinePostgres(
  options: Pick<PostgresOptions, 'place'> & Limits,
  wish: AskedSettings,
): Promise<Examination> {
  const database = new PostgresDatabase({ ...options, initialize: async () => undefined })
  try {
    if (!(await database.exists())) return { findings: [nothingThere()], checked: NOTHING }
    const [tables, isPartial] = await database.snapshot(async (sql, close) => {
      const checked = [await checkTables(sql, readRowsByKey), await sql.hidesRows?.()] as const
      await close()
      return checked
    })
    const { entries, changes, transcripts } = tables.rows
    const sessions = new Set(transcripts.map(({ scope, key }) => `${scope}\0${key}`)).size
    // Tables of which a part is hidden seem to contradict each other.
    const rows = isPartial
      ? [hiddenRows(), ...checkRows({ ...tables, contradictions: [] }, HINT)]
      : checkRows(tables, HINT)
    return {
      findings: [...rows, ...checkContent(tables, wish)].map(notFixable).sort(bySeverity),
      checked: { files: 0, entries: entries.length, changes: changes.length, sessions },
    }
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return { findings: [refusalFinding(error, postgresAddress(options.place))], checked: NOTHING }
  } finally {
    await database.close()
  }
}

function notFixable(found: Finding): Finding {
  return { ...found, fixable: false }
}

function hiddenRows(): Finding {
  const problem = 'row-level security hides a part of this memory from your role: only what it sees was checked'
  return finding('hidden-rows', '.', problem, 'To check all of it, use the owner of the schema.')
}

function nothingThere(): Finding {
  return finding('no-workspace', '.', 'there is no memory here yet', 'The first write creates it, or: keepsake init')
}

/** What keeps every other command from this memory, too. */
function refusalFinding(error: KeepsakeError, address: string): Finding {
  const codes = { FOREIGN: 'unusable-server', NEWER: 'unusable-server', DAMAGED: 'damaged-record' } as const
  const code = error.code in codes ? codes[error.code as keyof typeof codes] : 'unreachable-server' // it is one of them
  return finding(code, '.', error.message.replace(`${address}: `, ''), error.hint ?? 'Look at the log of the server.')
}
