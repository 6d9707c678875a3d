/** For every code one way to come to it. */
import type { Code } from '../../../src/stores/disk/doctor/codes.ts'
import { ENTRY_SITUATIONS } from './entry-situations.ts'
import { FILE_SITUATIONS } from './file-situations.ts'
import { JOURNAL_SITUATIONS } from './journal-situations.ts'
import type { Situation } from './situation.ts'
import { WORKSPACE_SITUATIONS } from './workspace-situations.ts'

export const SITUATIONS: Readonly<Record<Code, Situation>> = {
  ...WORKSPACE_SITUATIONS,
  ...ENTRY_SITUATIONS,
  ...JOURNAL_SITUATIONS,
  ...FILE_SITUATIONS,
}
