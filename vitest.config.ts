import { defineConfig, type ViteUserConfig } from 'vitest/config'

const ALONE = ['test/**/*.test.ts']
const TOGETHER = [
  'src/**/*.test.ts',
  'test/{config,facades,import,prompt,recall,search,tools,typed}/**/*.test.ts',
  'test/agent/{condensing,loop,over-sockets,own-tools}.test.ts',
  'test/complete/{ai-sdk,failures,forms,providers}.test.ts',
  'test/embed/http.test.ts',
  'test/consolidate/{consolidate,failures,faulty-replies,meanwhile,pieces,purge,queue,retry,review}.test.ts',
  'test/session/{compaction,echo-rates,new-archives,purge,queue,random-sequences,raw-archives,recording}.test.ts',
  'test/session/{echo-by-time,repeated-turns,undone-compaction,written-beside}.test.ts',
  'test/file/{damage,doctor,fixture,property}.test.ts',
  'test/move/{compare-images,import-folder,meddled,move-memory,there-and-back}.test.ts',
  'test/filesystem/doctor/*.test.ts',
  'test/filesystem/{at-rest,clock,damage,feed,hands-and-past,move-folder,names,purge,retention,sessions,stores-agree,two-copies,undo}.test.ts',
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
      { extends: true, test: { name: 'alone', include: ALONE, exclude: TOGETHER } },
      // These start no program and change nothing outside of their folders: to share a process saves a third of their time.
      // The second by name, so that these short ones fill both cores to the end.
      { extends: true, test: { name: 'together', include: TOGETHER, isolate: false } },
    ],
  },
})

export default config
