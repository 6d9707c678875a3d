/** What may be wrong with a file that can be read: names held twice, keys in plain sight, transcripts, who may read it, its lock. */
import { platform } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { WORLD } from '../../../model/entry.ts'
import { type Finding, finding } from '../../disk/doctor/finding.ts'
import { lockFinding, lookAtLock, namesIn } from '../../disk/doctor/lock-state.ts'
import { toldSecrets } from '../../disk/doctor/secret-text.ts'
import { type AskedSettings, otherSettings } from '../../disk/doctor/settings-differ.ts'
import { brokenLines, metadataFindings } from '../../disk/doctor/transcript-checks.ts'
import { generations } from '../../disk/lock-folder.ts'
import { handleKeys } from '../../disk/packed-heads.ts'
import { decodeText, statFile } from '../../disk/reading.ts'
import { safeFileName } from '../../disk/safe-file-name.ts'
import { nameOf } from '../file-catalogue.ts'
import type { FileEvidence } from './evidence.ts'
import { SAVE } from './remains.ts'

type Check = (evidence: FileEvidence, wish: AskedSettings) => readonly Finding[]

const OTHERS = 0o077
const OTHERS_WRITE = 0o022
const LEASES = 'leases'

export const CHECKS: readonly Check[] = [
  ({ findings }) => findings,
  checkThere,
  checkSettings,
  checkNames,
  checkSecrets,
  checkSessions,
  checkMode,
  checkLock,
]

function checkThere({ stats }: FileEvidence): readonly Finding[] {
  if (stats) return []
  return [finding('no-workspace', '.', 'there is nothing here yet', 'The first write makes it, or: keepsake init')]
}

function checkSettings({ remains }: FileEvidence, wish: AskedSettings): readonly Finding[] {
  if (!remains) return []
  if (remains.settings) {
    return otherSettings(wish, remains.settings).map(({ is, problem }) =>
      finding('settings-differ', '.', problem, `Ask for "${is}", or for nothing: what a file was made with stays.`),
    )
  }
  return [finding('lost-settings', '.', "its settings can't be read: id, time zone, layout", SAVE)]
}

function checkNames({ remains }: FileEvidence): readonly Finding[] {
  const owners = new Map<string, string>()
  return [...(remains?.entries.values() ?? [])].flatMap((entry) =>
    handleKeys(entry).flatMap((key) => {
      const owner = owners.get(key)
      if (owner === undefined) {
        owners.set(key, nameOf(entry))
        return []
      }
      const problem = `${nameOf(entry)} and ${owner} are both called "${key.split('\0')[1]}"`
      return [finding('duplicate-name', '.', problem, `Only one is found by it: keepsake rename ${entry.id} NAME`)]
    }),
  )
}

function checkSecrets({ remains }: FileEvidence): readonly Finding[] {
  return [...(remains?.entries.values() ?? [])].flatMap((entry) => {
    const { id, scope, kind, content } = entry
    const agent = scope === WORLD || scope === 'main' ? '' : ` --agent ${scope}`
    const hint = `Change it where it is used, then remove it here: keepsake forget ${id} --purge${agent}`
    return toldSecrets(content).map(({ problem }) =>
      finding('secret', '.', `the ${kind} ${nameOf(entry)}, ${problem}`, hint),
    )
  })
}

/** As the same transcripts in a folder are looked at; what is found there by its path is found here by its key. */
function checkSessions({ remains }: FileEvidence): readonly Finding[] {
  return [...(remains?.transcripts() ?? [])].flatMap(({ scope, key, text }) => {
    const hint = 'Change it where it is used. What was kept of this transcript: keepsake forget REF --purge'
    const secrets = toldSecrets(decodeText(text) ?? '').map(({ problem }) => finding('secret', '.', problem, hint))
    const name = `${safeFileName(key, 'session')}.jsonl`
    const found = [...metadataFindings('.', name, text), ...brokenLines('.', text), ...secrets]
    return found.map((one) => ({ ...one, problem: `the session "${key}" of ${scope}, ${one.problem}` }))
  })
}

function checkMode({ path, stats, remains }: FileEvidence): readonly Finding[] {
  if (!stats?.isFile() || platform() === 'win32' || (stats.mode & OTHERS) === 0) return []
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
  const [code, may] =
    stats.mode & OTHERS_WRITE ? (['writable-by-others', 'changed'] as const) : (['file-readable', 'read'] as const)
  const told = finding(code, '.', `it can be ${may} by other users (${mode})`, '--fix makes it private (0600).')
  // What we can't read is not ours to change.
  return [remains ? told : { ...told, fixable: false, hint: `If it is yours: chmod 600 ${path}` }]
}

function checkLock({ path }: FileEvidence): readonly Finding[] {
  const folder = lockFolder(path)
  const there = statFile(folder)
  if (there && !there.isDirectory()) {
    const hint = 'Nothing can be written to the memory while it is there. Move it away.'
    return [finding('foreign-lock', folder, 'it is not the folder of the lock, but has its name', hint)]
  }
  const state = lookAtLock(folder)
  const leases = namesIn(join(folder, LEASES)).map((name) => join(folder, LEASES, name))
  const ofLeases = leases.flatMap((lease) => lockFinding(lease, 'lease', lookAtLock(lease)))
  const left = state.is === 'held' ? [] : leftOvers(folder)
  const hint = 'An unfinished fold or move; a move can be gone on with, --fix removes it.'
  return [
    ...lockFinding(folder, 'lock', state),
    ...ofLeases,
    ...left.map((name) =>
      finding('temporary-file', join(folder, name), 'a program that was stopped left it behind', hint),
    ),
  ]
}

/** All that lies beside the generations of the lock and the leases. */
export function leftOvers(folder: string): string[] {
  const links = new Set(generations(folder).map(({ name }) => name))
  return namesIn(folder).filter((name) => name !== LEASES && !links.has(name))
}

export function lockFolder(path: string): string {
  return join(dirname(path), `${basename(path)}.lock`)
}
