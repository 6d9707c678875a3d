/** For every code one way to come to it, made with real files. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { encodeHeader, type JournalHeader } from '../../../src/codec/journal-record.ts'
import type { Code, Severity } from '../../../src/stores/filesystem/doctor/codes.ts'
import { thisProcess } from '../../../src/stores/filesystem/owner.ts'
import type { FilesystemStoreOptions } from '../../../src/stores/filesystem/store.ts'
import type { Ward } from './ward.ts'

export interface Situation {
  readonly severity: Severity
  readonly make: (ward: Ward) => void | Promise<void>
  readonly path: string | RegExp
  readonly problem: RegExp
  /** Other codes that this can't be had without. */
  readonly with?: readonly Code[]
  readonly options?: (ward: Ward) => Partial<FilesystemStoreOptions>
}

const ENTRIES = 'agents/main/entries'
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

export const SITUATIONS: Readonly<Record<Code, Situation>> = {
  'no-workspace': {
    severity: 'note',
    make: (ward) => rmSync(ward.root, { recursive: true }),
    path: '.',
    problem: /no workspace/,
  },
  'settings-missing': {
    severity: 'warning',
    make: (ward) => unlinkSync(ward.path('keepsake.yaml')),
    path: 'keepsake.yaml',
    problem: /gone/,
  },
  'settings-unpinned': {
    severity: 'note',
    make: (ward) => {
      unlinkSync(ward.path('keepsake.yaml'))
      rmSync(ward.path('.state'), { recursive: true })
    },
    path: 'keepsake.yaml',
    problem: /not there yet/,
  },
  'settings-damaged': {
    severity: 'damage',
    make: (ward) => ward.change('keepsake.yaml', (text) => text.replace(/^layout:.*$/m, 'layout: spiral')),
    path: 'keepsake.yaml',
    problem: /"layout" is "spiral"/,
  },
  'settings-newer': {
    severity: 'damage',
    make: (ward) => ward.change('keepsake.yaml', (text) => text.replace(/^format:.*$/m, 'format: 7')),
    path: 'keepsake.yaml',
    problem: /format 7/,
  },
  'settings-differ': {
    severity: 'warning',
    make: () => undefined,
    options: () => ({ timezone: 'Europe/Berlin' }),
    path: 'keepsake.yaml',
    problem: /timezone is "UTC", asked for is "Europe\/Berlin"/,
  },
  unreadable: {
    severity: 'damage',
    // A name that is not UTF-8: also root can't read what Node can't name.
    make: (ward) =>
      void execFileSync('sh', ['-c', `printf x > "$(printf 'caf\\351.md')"`], { cwd: ward.path(ENTRIES) }),
    path: /caf.*\.md$/,
    problem: /not UTF-8/,
  },
  link: {
    severity: 'warning',
    make: (ward) => symlinkSync(ward.path('keepsake.yaml'), ward.path(`${ENTRIES}/linked.md`)),
    path: `${ENTRIES}/linked.md`,
    problem: /never followed/,
  },
  'not-a-file': {
    severity: 'warning',
    make: (ward) => mkdirSync(ward.path(`${ENTRIES}/folder.md`), { mode: 0o700 }),
    path: `${ENTRIES}/folder.md`,
    problem: /not a plain file/,
  },
  'case-collision': {
    severity: 'warning',
    make: (ward) => ward.write(`${ENTRIES}/DEPLOYS.md`, 'Something else.\n'),
    path: `${ENTRIES}/deploys.md`,
    problem: /"DEPLOYS.md" only in upper and lower case/,
  },
  'unicode-collision': {
    severity: 'warning',
    make: (ward) => {
      ward.write(`${ENTRIES}/caf\u00e9.md`, '---\nname: one\n---\n\nOne.\n')
      ward.write(`${ENTRIES}/cafe\u0301.md`, '---\nname: two\n---\n\nTwo.\n')
    },
    path: /caf/,
    problem: /accents/,
  },
  'nfd-name': {
    severity: 'note',
    make: (ward) => {
      ward.write(`${ENTRIES}/cafe\u0301.md`, 'A card without front matter.\n')
      ward.write('world/re\u0301sume\u0301.md', 'A topic without an id.\n')
    },
    path: /e\u0301/,
    problem: /NFD/,
  },
  'windows-name': {
    severity: 'note',
    make: (ward) => ward.write(`${ENTRIES}/nul.md`, 'A note.\n'),
    path: `${ENTRIES}/nul.md`,
    problem: /Windows/,
  },
  'temporary-file': {
    severity: 'note',
    make: (ward) => {
      ward.write('.state/tmp/0123456789abcdef', 'half a te')
      ward.age(ward.path('.state/tmp/0123456789abcdef'))
      writeFileSync(join(ward.folder, 'fedcba9876543210'), 'half a te')
      ward.age(join(ward.folder, 'fedcba9876543210'))
    },
    options: (ward) => ({ identityPath: join(ward.folder, 'Crab.md') }),
    path: /0123456789abcdef$|fedcba9876543210$/,
    problem: /temporary/,
  },
  'editor-file': {
    severity: 'note',
    make: (ward) => {
      ward.write(`${ENTRIES}/deploys.md~`, 'Old.\n')
      ward.write(`${ENTRIES}/.deploys.md.swp`, 'b0VIM')
      symlinkSync('someone@somewhere.123', ward.path(`${ENTRIES}/.#deploys.md`))
    },
    path: /~$|swp$|\.#/,
    problem: /editor/,
  },
  'restore-leftover': {
    severity: 'note',
    make: (ward) => mkdirSync(`${ward.root}.before-restore-20261115`),
    path: /ws\.before-restore-20261115$/,
    problem: /restore/,
  },
  'writable-by-others': {
    severity: 'warning',
    make: (ward) => {
      chmodSync(ward.path(`${ENTRIES}/deploys.md`), 0o666)
      chmodSync(ward.path('world'), 0o777)
    },
    path: /deploys\.md|world/,
    problem: /be changed by other users \(0(666|777)\)/,
  },
  'state-readable': {
    severity: 'warning',
    make: (ward) => {
      chmodSync(ward.path(ward.segment), 0o644)
      chmodSync(ward.path('.state'), 0o755)
    },
    path: /^\.state/,
    problem: /be read by other users/,
  },
  'readable-by-others': {
    severity: 'note',
    make: (ward) => {
      for (const name of readdirSync(ward.path(ENTRIES))) chmodSync(ward.path(`${ENTRIES}/${name}`), 0o644)
    },
    path: ENTRIES,
    problem: /^3 files in it can be read/,
  },
  'not-utf8': {
    severity: 'damage',
    make: (ward) => ward.write(`${ENTRIES}/latin.md`, Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a])),
    path: `${ENTRIES}/latin.md`,
    problem: /not UTF-8/,
  },
  'nul-bytes': {
    severity: 'damage',
    make: (ward) => ward.write('world/torn.md', 'One line.\nA beg\0\0\0\0'),
    path: 'world/torn.md',
    problem: /line 2: it holds NUL/,
  },
  'empty-card': {
    severity: 'damage',
    make: (ward) => ward.write(`${ENTRIES}/deploys.md`, ''),
    path: `${ENTRIES}/deploys.md`,
    problem: /empty/,
  },
  'broken-card': {
    severity: 'damage',
    make: (ward) => ward.write(`${ENTRIES}/open.md`, '---\nname: open\n\nNever closed.\n'),
    path: `${ENTRIES}/open.md`,
    problem: /never closed/,
  },
  'unknown-kind': {
    severity: 'damage',
    make: (ward) => ward.write(`${ENTRIES}/odd.md`, '---\nname: odd\nkind: poem\n---\n\nA rose.\n'),
    path: `${ENTRIES}/odd.md`,
    problem: /kind: "poem" is not a kind/,
  },
  'broken-log-entry': {
    severity: 'damage',
    make: (ward) => ward.change(ward.today, (text) => text.replace('{"id":', '{"id"')),
    path: /daily\/.*\.md$/,
    problem: /not JSON/,
  },
  'torn-log-entry': {
    severity: 'damage',
    make: (ward) => ward.cut(ward.today, 8),
    path: /daily\/.*\.md$/,
    problem: /the journal has more of it/,
  },
  'unwritten-file': {
    severity: 'warning',
    // As a crash leaves it: the record is in the journal, the file is not written, the lock not let go.
    make: async (ward) => {
      const before = ward.read(`${ENTRIES}/deploys.md`)
      const store = ward.open()
      const note = await store.resolve('main', 'Deploys')
      await store.apply({
        operations: [{ op: 'write', id: note?.id ?? '', content: 'Run make ship twice.' }],
        origin: { by: 'agent', agent: 'main' },
      })
      await store.close()
      writeFileSync(ward.path(`${ENTRIES}/deploys.md`), before)
      rmSync(ward.path('.state/lock'), { recursive: true })
    },
    path: `${ENTRIES}/deploys.md`,
    problem: /a crash kept it/,
  },
  'duplicate-id': {
    severity: 'warning',
    make: (ward) => {
      const text = ward.read(`${ENTRIES}/deploys.md`)
      ward.write(`${ENTRIES}/copied.md`, text.replace(/^name: .*$/m, 'name: Copied').replace(/^aliases:.*\n/m, ''))
      ward.change(ward.today, (log) => `${log}\n${log.slice(log.indexOf('## '), log.lastIndexOf('## '))}`)
    },
    path: /copied\.md|daily/,
    problem: /stands (also in|twice)/,
  },
  'duplicate-name': {
    severity: 'warning',
    make: (ward) => ward.write(`${ENTRIES}/other.md`, '---\nname: other\naliases: [Deploys]\n---\n\nOther.\n'),
    path: `${ENTRIES}/other.md`,
    problem: /"Deploys" is what agents\/main\/entries\/deploys\.md is called, too/,
  },
  'conflict-copy': {
    severity: 'warning',
    make: (ward) => {
      const text = ward.read(`${ENTRIES}/deploys.md`)
      const newer = `${text}And on another machine.\n`
      ward.write(`${ENTRIES}/deploys (heron's conflicted copy 2026-11-15).md`, newer)
      ward.write(`${ENTRIES}/deploys.sync-conflict-20261115-101010-ABCDEFG.md`, newer)
      ward.write(`${ENTRIES}/deploys 2.md`, newer)
      ward.write(`${ENTRIES}/deploys (1).md`, newer)
      ward.write(`${ENTRIES}/deploys-HERON.md`, newer)
      ward.write(`${ward.segment.replace('.jsonl', '')}.sync-conflict-20261115-101010-ABCDEFG.jsonl`, 'x\n')
    },
    path: /conflict|deploys( 2| \(1\)|-HERON)/,
    problem: /sync program/,
  },
  'mirror-behind': {
    severity: 'warning',
    make: (ward) => ward.change('agents/main/HISTORY.md', (text) => text.slice(text.lastIndexOf('## '))),
    path: 'agents/main/HISTORY.md',
    problem: /^1 entry of the monthly files is not in it/,
  },
  'mirror-differs': {
    severity: 'note',
    make: (ward) =>
      ward.change('agents/main/HISTORY-2026-10.md', (text) => text.replace('October.', 'October was wet.')),
    path: 'agents/main/HISTORY.md',
    problem: /1 entry in it differs/,
  },
  'bulk-removal': {
    severity: 'warning',
    make: async (ward) => {
      const store = ward.open()
      const operations = Array.from({ length: 30 }, (_, n) => {
        return { op: 'add', scope: 'main', kind: 'note', name: `note ${n}`, content: `Text ${n}.` } as const
      })
      await store.apply({ operations, origin: { by: 'agent', agent: 'main' } })
      await store.close()
      rmSync(ward.path(ENTRIES), { recursive: true })
    },
    path: '.',
    problem: /33 of 42 entries are gone/,
  },
  'torn-session': {
    severity: 'warning',
    make: (ward) => {
      const sessions = 'agents/main/sessions'
      ward.write(
        `${sessions}/unended.jsonl`,
        '{"key":"unended","createdAt":"2026-11-15T00:00:00.000Z"}\n{"role":"user"}',
      )
      ward.write(`${sessions}/empty.jsonl`, '')
      ward.write(`${sessions}/nuls.jsonl`, `${ward.read(`${sessions}/chat.jsonl`)}{"ro\0\0\0`)
      appendFileSync(ward.path(`${sessions}/chat.jsonl`), '{"role":"user","te')
    },
    path: /sessions\/(chat|unended|empty|nuls)\.jsonl$/,
    problem: /a crash|no end/,
  },
  'broken-session-line': {
    severity: 'damage',
    make: (ward) =>
      ward.change('agents/main/sessions/chat.jsonl', (text) => text.replace('{"role":"user"', '{"role":user"')),
    path: 'agents/main/sessions/chat.jsonl',
    problem: /^line 2 can not be read/,
  },
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
  'little-space': {
    severity: 'warning',
    // A hole in a file takes no room, but a backup of it would.
    make: (ward) => {
      const { bavail, bsize } = statfsSync(ward.folder)
      ward.write('.state/derived/index', '')
      truncateSync(ward.path('.state/derived/index'), Math.round((bavail * bsize) / 1.5))
    },
    path: '.',
    problem: /MB are free/,
  },
  secret: {
    severity: 'warning',
    make: (ward) => ward.write(`${ENTRIES}/cloud.md`, `The key is\n${'AKIA'}QWERTZUIOPASDFGH.\n`),
    path: `${ENTRIES}/cloud.md`,
    problem: /^line 2: what looks like an AWS access key \(AKIA…, 20 characters\)$/,
  },
}
