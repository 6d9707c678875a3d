/** `doctor` of a memory on a Chroma server: what the store itself can read there. Fixes nothing. */
import type { Config } from '../config/load-config.ts'
import { isKeepsakeError } from '../errors.ts'
import { openLasting } from '../memory/lasting-store.ts'
import type { EntryHead } from '../model/entry.ts'
import type { Store } from '../ports/store.ts'
import { type Finding, finding } from '../stores/disk/doctor/finding.ts'
import type { Told } from './doctor-text.ts'
import { isMade } from './is-made.ts'

export async function examineServer(config: Config): Promise<Told> {
  const { workspace } = config.values
  const store = await openLasting(config)
  try {
    return (await isMade(store, workspace)) ? await examine(store) : toReport([noMemoryFinding(workspace)])
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    const { message: problem, hint = '' } = error
    const isReached = error.data['isReached'] !== false && error.code !== 'TIMEOUT'
    const code = isReached ? 'unusable-server' : 'unreachable-server'
    return toReport([finding(code, workspace, problem, hint)])
  } finally {
    await store.close()
  }
}

async function examine(store: Store): Promise<Told> {
  const heads = await store.heads()
  const problems = await store.problems()
  const undated = problems.map(({ path, problem }) => {
    const hint =
      'Set the date in the metadata of this record. Until then the entry counts as very old and never expires.'
    return finding('unreadable-date', path, problem, hint)
  })
  return toReport([...undated, ...findSharedNames(heads)], heads.length)
}

/** The server can't keep two processes from giving the same name at the same moment; the seed's program gives none. */
function findSharedNames(heads: readonly EntryHead[]): Finding[] {
  const first = new Map<string, EntryHead>()
  return heads.flatMap((head): Finding[] => {
    const { scope, name, id } = head
    const key = `${scope}/${name}`
    const owner = first.get(key)
    if (name === null || !owner) {
      first.set(key, head)
      return []
    }
    const problem = `"${name}" of ${scope} is also the name of the older entry ${owner.id}, which is found by it`
    const hint = `Give one of them another name: keepsake rename ${id} NAME`
    return [finding('duplicate-name', id, problem, hint)]
  })
}

function noMemoryFinding(path: string): Finding {
  return finding('no-workspace', path, 'there is no memory in this database', 'The first write creates it.')
}

function toReport(findings: readonly Finding[], entries = 0): Told {
  return { examination: { findings, checked: { files: 0, entries, changes: 0, sessions: 0 } }, warnings: [] }
}
