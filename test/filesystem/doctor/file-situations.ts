/** Situations of files and folders, whatever they hold. */
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unfinishedPath } from '../../../src/stores/disk/unfinished.ts'
import type { Situation } from './situation.ts'

const ENTRIES = 'agents/main/entries'

export const FILE_SITUATIONS: Readonly<
  Record<
    | 'link'
    | 'not-a-file'
    | 'case-collision'
    | 'unicode-collision'
    | 'nfd-name'
    | 'windows-name'
    | 'temporary-file'
    | 'editor-file'
    | 'move-leftover'
    | 'identity-leftover'
    | 'unread-file'
    | 'writable-by-others'
    | 'state-readable'
    | 'readable-by-others',
    Situation
  >
> = {
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
    },
    path: '.state/tmp/0123456789abcdef',
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
  'move-leftover': {
    severity: 'note',
    make: (ward) => {
      mkdirSync(join(ward.folder, '.ws.moving'))
      mkdirSync(join(ward.folder, '.ws.moving.lock'))
      mkdirSync(unfinishedPath('export', ward.folder))
      mkdirSync(unfinishedPath('backup', ward.folder))
    },
    path: /\/\.ws\.moving(\.lock)?$|\/\.keepsake\.(export|backup)-/,
    problem: /interrupted move, export or backup/,
  },
  'identity-leftover': {
    severity: 'note',
    make: (ward) => writeFileSync(join(ward.folder, '.Crab.md.keepsake-swap'), 'I was a crab.\n'),
    options: (ward) => ({ identityPath: join(ward.folder, 'Crab.md') }),
    path: /\/\.Crab\.md\.keepsake-swap$/,
    problem: /interrupted/,
  },
  'unread-file': {
    severity: 'note',
    make: (ward) => {
      ward.write('world/sub/x.md', 'Never read.\n')
      ward.write('agents/.hidden agent/entries/one.md', 'Never read.\n')
      ward.write('agents/.hidden agent/entries/two.md', 'Never read.\n')
      ward.write('directives/system/recall.md', 'Read by its name.\n')
    },
    path: /^world\/sub\/x\.md$|^agents\/\.hidden agent\/entries$/,
    problem: /never read/,
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
}
