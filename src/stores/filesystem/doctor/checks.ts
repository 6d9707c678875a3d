/**
 * The table of checks: each looks at the evidence and says what it finds. What the texts themselves say is found on
 * the way.
 */

import type { Finding } from '../../disk/doctor/finding.ts'
import { checkConflictCopies } from './conflict-copies.ts'
import { checkHandles, checkIds } from './duplicate-checks.ts'
import type { Evidence } from './evidence.ts'
import { checkMirrors } from './history-checks.ts'
import { checkCheckpoint, checkJournal } from './journal-checks.ts'
import { checkLitter } from './litter-checks.ts'
import { checkLocks } from './lock-checks.ts'
import { checkModes } from './mode-checks.ts'
import { checkNames, checkNormalForms, checkTypes } from './name-checks.ts'
import { checkRemoval } from './removal-check.ts'
import { checkSettings } from './settings-check.ts'
import { checkSpace } from './space-check.ts'
import { checkUnwritten } from './text-checks.ts'
import { checkUnread } from './unread-check.ts'

export const CHECKS: readonly ((evidence: Evidence) => readonly Finding[])[] = [
  checkSettings,
  checkTypes,
  ({ foundInTexts }) => foundInTexts,
  checkUnwritten,
  checkIds,
  checkHandles,
  checkConflictCopies,
  checkRemoval,
  checkMirrors,
  checkJournal,
  checkCheckpoint,
  checkLocks,
  checkNames,
  checkNormalForms,
  checkModes,
  checkLitter,
  checkUnread,
  checkSpace,
]
