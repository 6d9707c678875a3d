/**
 * Test sizes and what a machine must have. A test has the size that its stage of `npm test` or `.ci/run` can afford; some have a
 * larger one for `npm run nightly`, which sets KEEPSAKE_TESTS.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeEach } from 'vitest'

export const isNightly: boolean = process.env['KEEPSAKE_TESTS'] === 'nightly'

/** Labelled data that is not ours to ship. */
export const PUBLIC_DATA: string = resolve(import.meta.dirname, '../../shared/data/dev')

/** Skips the tests of this block, with a reason, where there is no public data: CI can't install it. */
export function needPublicData(): void {
  beforeEach(({ skip }) => skip(!existsSync(PUBLIC_DATA), 'there is no ../shared/data/dev to measure with'))
}
