import { defineConfig, type ViteUserConfig } from 'vitest/config'

const ALL = ['src/**/*.test.ts', 'test/**/*.test.ts']
/** They replace parts of Node, fill a core or the memory, or must not be disturbed by what others left running. */
const ALONE = [
  'test/{architecture,licences,package,quality}.test.ts',
  'test/{embed,faults}/**/*.test.ts',
  'test/file/{failing-syncs,lock-interleavings,sidecar}.test.ts',
  'test/filesystem/{no-network,watch}.test.ts',
  'test/page/large.test.ts',
]

const config: ViteUserConfig = defineConfig({
  test: {
    reporters: ['default', './test/counts-reporter.ts'],
    // Most of the time goes to child processes that wait for each other: two files at once fill two cores.
    maxWorkers: 2,
    globalSetup: ['test/temporary-folder.ts'],
    setupFiles: ['test/set-up.ts'],
    // Plain JavaScript is Node's to load: vitest would rewrite the two hundred built modules for each file that needs them.
    server: { deps: { external: [/\/dist\//, /\.mjs$/] } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A set NODE_EXTRA_CA_CERTS triples the start of every child process, and nothing here uses the network. No test loads the model
    // by accident; those that are about it say so.
    env: {
      NODE_EXTRA_CA_CERTS: '',
      KEEPSAKE_EMBEDDING_MODEL: 'none',
      // For the one test that lets npm download.
      AUTHORITIES_OF_NPM: process.env['NODE_EXTRA_CA_CERTS'] ?? '',
    },
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE } },
      // To share a process saves a third of their time. The second by name, so that these short ones fill both cores to the end.
      {
        extends: true,
        test: { name: 'together', include: ALL, exclude: ALONE, isolate: false, setupFiles: ['test/loaded-before.ts'] },
      },
    ],
  },
})

export default config
