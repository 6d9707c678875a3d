import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', './test/counts-reporter.ts'],
    // Most of the time goes to child processes that wait for each other: two files at once fill two cores.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A set NODE_EXTRA_CA_CERTS triples the start of every child process, and nothing here uses the network.
    env: { NODE_EXTRA_CA_CERTS: '' },
  },
})

export default config
