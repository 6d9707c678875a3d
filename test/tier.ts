/**
 * Test sizes and what a machine must have. A test has the size that its stage of `npm test` or `.ci/run` can afford; some have a
 * larger one for `npm run nightly`, which sets KEEPSAKE_TESTS.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeEach } from 'vitest'

export const isNightly: boolean = process.env['KEEPSAKE_TESTS'] === 'nightly'

/**
 * What random tests start from. Fixed in `npm test` and CI, so that they pass or fail by what changed and not by luck; the nightly run
 * looks further. A run that failed is repeated with the seed it printed: KEEPSAKE_SEED=N.
 */
export const seed: number = Number(process.env['KEEPSAKE_SEED'] ?? (isNightly ? Date.now() % 1_000_000 : 1))

/** Labelled data we can't redistribute. */
export const PUBLIC_DATA: string = resolve(import.meta.dirname, '../../shared/data/dev')

/** Skips this block's tests if the public data is missing; CI can't download it. */
export function needPublicData(): void {
  beforeEach(({ skip }) => skip(!existsSync(PUBLIC_DATA), 'there is no ../shared/data/dev to measure with'))
}
