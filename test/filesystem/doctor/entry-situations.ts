/** Situations of files that hold entries and sessions. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Situation } from './situation.ts'

const ENTRIES = 'agents/main/entries'

export const ENTRY_SITUATIONS: Readonly<
  Record<
    | 'not-utf8'
    | 'nul-bytes'
    | 'empty-card'
    | 'blank-card'
    | 'broken-card'
    | 'unknown-kind'
    | 'broken-log-entry'
    | 'unreadable-expiry'
    | 'torn-log-entry'
    | 'unwritten-file'
    | 'duplicate-id'
    | 'duplicate-name'
    | 'conflict-copy'
    | 'bulk-removal'
    | 'mirror-behind'
    | 'mirror-differs'
    | 'secret'
    | 'torn-session'
    | 'broken-session-line'
    | 'broken-session'
    | 'session-metadata'
    | 'session-key',
    Situation
  >
> = {
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
  'blank-card': {
    severity: 'note',
    make: (ward) => ward.write(`${ENTRIES}/later.md`, ''),
    path: `${ENTRIES}/later.md`,
    problem: /^it is empty$/,
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
  'unreadable-expiry': {
    severity: 'warning',
    make: (ward) => ward.write(`${ENTRIES}/someday.md`, '---\nname: someday\nexpires: someday\n---\n\nA rose.\n'),
    path: `${ENTRIES}/someday.md`,
    problem: /^line 3: expires: "someday" is not a time/,
  },
  'torn-log-entry': {
    severity: 'damage',
    make: (ward) => ward.cut(ward.today, 8),
    path: /daily\/.*\.md$/,
    problem: /the journal has more of it/,
  },
  'unwritten-file': {
    severity: 'warning',
    // As a crash leaves it: the record is in the journal, the files are not written, the lock was not let go.
    make: async (ward) => {
      const before = ward.read(`${ENTRIES}/deploys.md`)
      const store = ward.open()
      const note = await store.resolve('main', 'Deploys')
      const port = ward.read(`${ENTRIES}/port.md`)
      const fact = await store.resolve('main', 'Port')
      await store.apply({
        operations: [
          { op: 'write', id: note?.id ?? '', content: 'Run make ship twice.' },
          { op: 'remove', id: fact?.id ?? '' },
        ],
        origin: { by: 'agent', agent: 'main' },
      })
      await store.close()
      writeFileSync(ward.path(`${ENTRIES}/deploys.md`), before)
      writeFileSync(ward.path(`${ENTRIES}/port.md`), port, { mode: 0o600 })
      rmSync(ward.path('.state/lock'), { recursive: true })
    },
    path: /entries\/(deploys|port)\.md$/,
    problem: /a crash kept its last change/,
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
  secret: {
    severity: 'warning',
    make: (ward) => ward.write(`${ENTRIES}/cloud.md`, `The key is\n${'AKIA'}QWERTZUIOPASDFGH.\n`),
    path: `${ENTRIES}/cloud.md`,
    problem: /^line 2: what looks like an AWS access key \(AKIA…, 20 characters\)$/,
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
      ward.write(
        `${sessions}/nuls.jsonl`,
        `${ward.read(`${sessions}/chat.jsonl`).replace('"chat"', '"nuls"')}{"ro\0\0\0`,
      )
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
  'broken-session': {
    severity: 'damage',
    make: (ward) => ward.write('agents/main/sessions/mine.jsonl', '{"note": "half a line by h'),
    path: 'agents/main/sessions/mine.jsonl',
    problem: /one line without an end/,
  },
  'session-metadata': {
    severity: 'warning',
    make: (ward) => {
      const sessions = 'agents/main/sessions'
      const [meta = '', ...lines] = ward.read(`${sessions}/chat.jsonl`).split('\n')
      ward.write(`${sessions}/headless.jsonl`, lines.join('\n'))
      ward.write(`${sessions}/marked.jsonl`, `\ufeff${lines.join('\n')}`)
      ward.write(
        `${sessions}/chat.jsonl`,
        [meta.replace(/"createdAt":"[^"]*"/, '"createdAt":"soon"'), ...lines].join('\n'),
      )
    },
    path: /sessions\/(chat|headless|marked)\.jsonl$/,
    problem: /^line 1: (createdAt: "soon" is not a time|there is no metadata line before it)$/,
  },
  'session-key': {
    severity: 'warning',
    make: (ward) => {
      const sessions = 'agents/main/sessions'
      ward.write(`${sessions}/copy.jsonl`, `\ufeff${ward.read(`${sessions}/chat.jsonl`)}`)
      ward.write(`${sessions}/Chat Copy.jsonl`, ward.read(`${sessions}/chat.jsonl`))
    },
    path: /sessions\/(copy|Chat Copy)\.jsonl$/,
    problem: /^its metadata says the key "chat", and its name "copy", which counts$|^no key leads to/,
  },
}
