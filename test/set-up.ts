/** Runs before every test file, also before those that share a process. */
import { afterAll } from 'vitest'
import { cleanUp } from './clean-up.ts'

afterAll(cleanUp)
