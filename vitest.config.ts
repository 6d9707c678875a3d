import { defineConfig, type ViteUserConfig } from 'vitest/config'

/** They need a real server. */
const CHROMA = ['{src/stores,test}/chroma/**/*.test.ts']
const POSTGRES = ['{src/stores,test}/postgres/**/*.test.ts']
const CI_AND_NIGHTLY = '**/*.{ci,nightly}.test.ts'

interface Project {
  readonly include: readonly string[]
  readonly exclude?: readonly string[]
  /** Test files share a process, which saves a third of their time. Not for files that replace parts of Node or keep a core busy. */
  readonly shared?: true
  /** Its tests may not start a process; test/in-process.ts enforces that. */
  readonly inProcess?: true
  /** Per test. 60 s if not given. */
  readonly timeoutMs?: number
}

/**
 * Every test file is in exactly one project, which test/tiers.test.ts checks. `npm test` runs the first three. A file that starts
 * processes, needs a browser or a model, or takes long is called `*.ci.test.ts`, and `.ci/run` runs it. A file that
 * measures time or takes minutes is called `*.nightly.test.ts`.
 */
export const PROJECTS: Readonly<Record<string, Project>> = {
  unit: {
    include: ['src/**/*.test.ts'],
    exclude: [CI_AND_NIGHTLY, ...CHROMA, ...POSTGRES],
    shared: true,
    inProcess: true,
  },
  integration: {
    include: ['test/**/*.test.ts'],
    exclude: [CI_AND_NIGHTLY, 'test/smoke/**', ...CHROMA, ...POSTGRES],
    shared: true,
    inProcess: true,
  },
  smoke: { include: ['test/smoke/**/*.test.ts'] },
  cli: { include: ['test/cli/**/*.ci.test.ts', 'test/*.ci.test.ts'], shared: true },
  processes: {
    include: [
      'src/**/*.ci.test.ts',
      'test/{agent,api,complete,consolidate,file,filesystem,local,mcp,move,recall,session}/**/*.ci.test.ts',
    ],
    exclude: POSTGRES,
  },
  faults: { include: ['test/faults/**/*.ci.test.ts'] },
  chroma: { include: CHROMA },
  // Each file starts a server.
  postgres: { include: POSTGRES, exclude: ['**/*.nightly.test.ts'] },
  page: { include: ['test/page/**/*.ci.test.ts'], timeoutMs: 240_000 },
  model: { include: ['test/{embed,quality}/**/*.ci.test.ts'] },
  nightly: { include: ['test/**/*.nightly.test.ts'] },
}

const config: ViteUserConfig = defineConfig({
  test: {
    reporters: ['default', './test/counts-reporter.ts'],
    // Most of the time goes to child processes that wait for each other: two files at once fill two cores.
    maxWorkers: 2,
    globalSetup: ['test/temporary-folder.ts'],
    // Plain JavaScript is Node's to load: vitest would rewrite the two hundred built modules for each file that needs them.
    server: { deps: { external: [/\/dist\//, /\.mjs$/] } },
    // A busy machine may take longer than the second that vitest waits by default.
    expect: { poll: { timeout: 30_000 } },
    // A set NODE_EXTRA_CA_CERTS triples the start of every child process, and nothing here uses the network. No test loads the model
    // by accident; those that are about it say so.
    env: {
      NODE_EXTRA_CA_CERTS: '',
      KEEPSAKE_EMBEDDING_MODEL: 'none',
      // For the one test that runs a real npm install.
      AUTHORITIES_OF_NPM: process.env['NODE_EXTRA_CA_CERTS'] ?? '',
    },
    projects: Object.entries(PROJECTS).map(
      ([name, { include, exclude = [], shared, inProcess, timeoutMs = 60_000 }]) => ({
        extends: true,
        test: {
          name,
          include: [...include],
          exclude: [...exclude],
          isolate: !shared,
          testTimeout: timeoutMs,
          hookTimeout: timeoutMs,
          setupFiles: [
            'test/set-up.ts',
            ...(shared ? ['test/loaded-before.ts'] : []),
            ...(inProcess ? ['test/in-process.ts'] : []),
          ],
        },
      }),
    ),
  },
})

export default config
