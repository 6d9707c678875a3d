/** Runs before every test file, also before those that share a process: each finds it as it was at first. */
import { configureGlobal } from 'fast-check'
import { afterAll, vi } from 'vitest'
import { cleanUp } from './clean-up.ts'
import { seed } from './tier.ts'

configureGlobal({ seed })

const folder = process.cwd()

afterAll(async () => {
  process.chdir(folder)
  process.exitCode = undefined
  vi.unstubAllEnvs()
  await cleanUp()
  await vi.dynamicImportSettled()
})
