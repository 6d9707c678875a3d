/**
 * Test sizes and what a machine must have. A test has the size that its stage of `npm test` or `.ci/run` can afford; some have a
 * larger one for `npm run nightly`, which sets KEEPSAKE_TESTS.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeEach } from 'vitest'

export const isNightly: boolean = process.env['KEEPSAKE_TESTS'] === 'nightly'

/** Labelled data we can't redistribute. */
export const PUBLIC_DATA: string = resolve(import.meta.dirname, '../../shared/data/dev')

/** Skips this block's tests if the public data is missing; CI can't download it. */
export function needPublicData(): void {
  beforeEach(({ skip }) => skip(!existsSync(PUBLIC_DATA), 'there is no ../shared/data/dev to measure with'))
}
