/** Situations of the workspace as a whole. */
import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, truncateSync, unlinkSync } from 'node:fs'
import type { Situation } from './situation.ts'

const ENTRIES = 'agents/main/entries'

export const WORKSPACE_SITUATIONS: Readonly<
  Record<
    | 'no-workspace'
    | 'settings-missing'
    | 'settings-unpinned'
    | 'settings-damaged'
    | 'settings-newer'
    | 'settings-differ'
    | 'little-space'
    | 'unreadable',
    Situation
  >
> = {
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
  unreadable: {
    severity: 'damage',
    // A name that is not UTF-8: also root can't read what Node can't name.
    make: (ward) =>
      void execFileSync('sh', ['-c', `printf x > "$(printf 'caf\\351.md')"`], { cwd: ward.path(ENTRIES) }),
    path: /caf.*\.md$/,
    problem: /not UTF-8/,
  },
}
