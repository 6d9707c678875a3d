/** Situations of the journal, its checkpoint, the lock and the leases. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { encodeHeader, type JournalHeader } from '../../../src/codec/journal-record.ts'
import { thisProcess } from '../../../src/stores/disk/owner.ts'
import type { Situation } from './situation.ts'
import type { Ward } from './ward.ts'

const JOURNAL = /^\.state\/journal\/\d{8}-[0-9a-f]{8}\.jsonl$/

function headerOf(ward: Ward): JournalHeader {
  return JSON.parse(ward.read(ward.segment).split('\n')[0]?.slice(17) ?? '')
}

/** Puts another first line in the place of a segment's own, in the same file, so that its inode stays. */
function writeHeader(ward: Ward, change: Partial<Record<keyof JournalHeader, unknown>>): void {
  const [, ...records] = ward.read(ward.segment).split('\n')
  const header = Buffer.from(encodeHeader({ ...headerOf(ward), ...change } as JournalHeader)).toString()
  writeFileSync(ward.path(ward.segment), header + records.join('\n'))
}

/** Changes a line of the journal in the middle, in place. */
function spoilLine(ward: Ward, segment: string, index: number): void {
  const lines = ward.read(segment).split('\n')
  lines[index] = lines[index]?.replace('operations', 'operatoins') ?? ''
  writeFileSync(ward.path(segment), lines.join('\n'))
}

/** An owner as a lock names it. */
function ownerText(change: Partial<ReturnType<typeof thisProcess>>): string {
  const { host, boot, namespace, pid, start, copy } = { ...thisProcess(), ...change }
  return `${[host, boot, namespace, pid, start, copy].join(':')}/1`
}

function holdLock(ward: Ward, folder: string, change: Parameters<typeof ownerText>[0]): void {
  const names = readdirSync(ward.path(folder)).map((name) => Number.parseInt(name, 10))
  symlinkSync(ownerText(change), ward.path(`${folder}/${Math.max(0, ...names) + 1}`))
}

/** A process id that no process has. */
function deadPid(): number {
  return Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }))
}

export const JOURNAL_SITUATIONS: Readonly<
  Record<
    | 'torn-journal'
    | 'damaged-journal'
    | 'journal-gap'
    | 'damaged-past'
    | 'foreign-journal'
    | 'newer-journal'
    | 'copied-journal'
    | 'checkpoint-missing'
    | 'checkpoint-damaged'
    | 'checkpoint-astray'
    | 'stale-lock'
    | 'foreign-lock',
    Situation
  >
> = {
  'torn-journal': {
    severity: 'warning',
    make: (ward) => appendFileSync(ward.path(ward.segment), '0123456789abcdef {"number":'),
    path: JOURNAL,
    problem: /27 bytes/,
  },
  'damaged-journal': {
    severity: 'damage',
    make: (ward) => spoilLine(ward, ward.segment, 3),
    path: JOURNAL,
    problem: /can not be read/,
  },
  'journal-gap': {
    severity: 'damage',
    make: (ward) => {
      const lines = ward.read(ward.segment).split('\n')
      lines.splice(-3, 1)
      writeFileSync(ward.path(ward.segment), lines.join('\n'))
    },
    path: JOURNAL,
    problem: /^change \d+ follows change \d+$/,
  },
  'damaged-past': {
    severity: 'note',
    make: async (ward) => {
      spoilLine(ward, ward.segment, 3)
      const store = ward.open()
      await store.init()
      await store.close()
    },
    path: JOURNAL,
    problem: /can not be read/,
  },
  'foreign-journal': {
    severity: 'damage',
    make: (ward) => writeHeader(ward, { workspace: '01a1e120-22e8-7144-bb48-941b8d469e39' }),
    path: JOURNAL,
    problem: /belongs to workspace 01a1e120/,
  },
  'newer-journal': {
    severity: 'damage',
    make: (ward) => writeHeader(ward, { version: 9 }),
    path: JOURNAL,
    problem: /format 9/,
  },
  'copied-journal': {
    severity: 'note',
    make: (ward) => {
      renameSync(ward.root, `${ward.root}-old`)
      cpSync(`${ward.root}-old`, ward.root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
      execFileSync('chmod', ['-R', 'go=', ward.root])
    },
    path: JOURNAL,
    problem: /copied/,
  },
  'checkpoint-missing': {
    severity: 'warning',
    make: (ward) => unlinkSync(ward.path('.state/checkpoint')),
    path: '.state/checkpoint',
    problem: /gone/,
  },
  'checkpoint-damaged': {
    severity: 'warning',
    make: (ward) => ward.cut('.state/checkpoint', 10),
    path: '.state/checkpoint',
    problem: /can not be read/,
  },
  'checkpoint-astray': {
    severity: 'warning',
    make: (ward) => rmSync(ward.path('.state/journal'), { recursive: true }),
    path: '.state/checkpoint',
    problem: /not there/,
  },
  'stale-lock': {
    severity: 'note',
    make: (ward) => {
      const pid = deadPid()
      holdLock(ward, '.state/lock', { pid })
      holdLock(ward, '.state/leases/condense', { pid })
    },
    path: /^\.state\/(lock|leases\/condense)$/,
    problem: /process \d+ on this machine, is gone/,
  },
  'foreign-lock': {
    severity: 'warning',
    make: (ward) => {
      holdLock(ward, '.state/lock', { host: 'abcdefabcdef' })
      holdLock(ward, '.state/leases/condense', { namespace: '1' })
    },
    path: /^\.state\/(lock|leases\/condense)$/,
    problem: /held by process \d+ on/,
  },
}
