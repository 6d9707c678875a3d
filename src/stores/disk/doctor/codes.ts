/**
 * Every code that `doctor` may report, how bad it is, and whether `--fix` mends it. Codes are a public contract:
 * programs look for them, and docs/doctor.md explains each one.
 */

/** `damage`: something can't be read, at least not by this program. `warning`: look at it. `note`: harmless. */
export type Severity = 'damage' | 'warning' | 'note'

export const SEVERITIES: readonly Severity[] = ['damage', 'warning', 'note']

export type Code =
  | 'no-workspace'
  | 'settings-missing'
  | 'settings-unpinned'
  | 'settings-damaged'
  | 'settings-newer'
  | 'settings-differ'
  | 'unreadable'
  | 'link'
  | 'not-a-file'
  | 'case-collision'
  | 'unicode-collision'
  | 'nfd-name'
  | 'windows-name'
  | 'temporary-file'
  | 'editor-file'
  | 'move-leftover'
  | 'identity-leftover'
  | 'unread-file'
  | 'writable-by-others'
  | 'state-readable'
  | 'readable-by-others'
  | 'not-utf8'
  | 'nul-bytes'
  | 'empty-card'
  | 'blank-card'
  | 'broken-card'
  | 'unknown-kind'
  | 'broken-log-entry'
  | 'unreadable-expiry'
  | 'torn-log-entry'
  | 'unwritten-file'
  | 'duplicate-id'
  | 'duplicate-name'
  | 'conflict-copy'
  | 'mirror-behind'
  | 'mirror-differs'
  | 'bulk-removal'
  | 'torn-session'
  | 'broken-session-line'
  | 'broken-session'
  | 'session-metadata'
  | 'session-key'
  | 'torn-journal'
  | 'damaged-journal'
  | 'journal-gap'
  | 'damaged-past'
  | 'foreign-journal'
  | 'newer-journal'
  | 'copied-journal'
  | 'checkpoint-missing'
  | 'checkpoint-damaged'
  | 'checkpoint-astray'
  | 'stale-lock'
  | 'foreign-lock'
  | 'little-space'
  | 'secret'

/** Those of a memory in one file alone; it shares some of the others. */
export type FileCode = 'damaged-file' | 'damaged-record' | 'foreign-file' | 'newer-file' | 'file-readable'

/** Those of a memory on a server alone; it shares some of the others. */
export type ServerCode = 'unreachable-server' | 'unusable-server' | 'unreadable-date' | 'hidden-rows'

export interface CodeRule {
  readonly severity: Severity
  /** Whether `--fix` mends it without having to judge. */
  readonly fixable: boolean
}

const damage: CodeRule = { severity: 'damage', fixable: false }
const warning: CodeRule = { severity: 'warning', fixable: false }
const note: CodeRule = { severity: 'note', fixable: false }

export const CODES: Readonly<Record<Code, CodeRule>> = {
  'no-workspace': note,
  'settings-missing': warning,
  'settings-unpinned': note,
  'settings-damaged': damage,
  'settings-newer': damage,
  'settings-differ': warning,
  unreadable: damage,
  link: warning,
  'not-a-file': warning,
  'case-collision': warning,
  'unicode-collision': warning,
  'nfd-name': { ...note, fixable: true },
  'windows-name': note,
  'temporary-file': { ...note, fixable: true },
  'editor-file': note,
  'move-leftover': note,
  'identity-leftover': note,
  'unread-file': note,
  'writable-by-others': { ...warning, fixable: true },
  'state-readable': { ...warning, fixable: true },
  'readable-by-others': { ...note, fixable: true },
  'not-utf8': damage,
  'nul-bytes': damage,
  'empty-card': damage,
  'blank-card': note,
  'broken-card': damage,
  'unknown-kind': damage,
  'broken-log-entry': damage,
  'unreadable-expiry': warning,
  'torn-log-entry': damage,
  'unwritten-file': { ...warning, fixable: true },
  'duplicate-id': { ...warning, fixable: true },
  'duplicate-name': warning,
  'conflict-copy': warning,
  'mirror-behind': { ...warning, fixable: true },
  'mirror-differs': note,
  'bulk-removal': warning,
  'torn-session': { ...warning, fixable: true },
  'broken-session-line': damage,
  'broken-session': damage,
  'session-metadata': warning,
  'session-key': warning,
  'torn-journal': { ...warning, fixable: true },
  'damaged-journal': { ...damage, fixable: true },
  'journal-gap': { ...damage, fixable: true },
  'damaged-past': note,
  'foreign-journal': damage,
  'newer-journal': damage,
  'copied-journal': { ...note, fixable: true },
  'checkpoint-missing': { ...warning, fixable: true },
  'checkpoint-damaged': { ...warning, fixable: true },
  'checkpoint-astray': { ...warning, fixable: true },
  'stale-lock': { ...note, fixable: true },
  'foreign-lock': warning,
  'little-space': warning,
  secret: warning,
}

export const FILE_CODES: Readonly<Record<FileCode, CodeRule>> = {
  'damaged-file': { ...damage, fixable: true },
  'damaged-record': { ...damage, fixable: true },
  'foreign-file': damage,
  'newer-file': damage,
  'file-readable': { ...warning, fixable: true },
}

export const SERVER_CODES: Readonly<Record<ServerCode, CodeRule>> = {
  'unreachable-server': damage,
  'unusable-server': damage,
  'unreadable-date': warning,
  'hidden-rows': note,
}

/** While one of these is there, the workspace can't be opened as it is asked for, or must not be: nothing is mended. */
const KEEPS_FROM_MENDING: ReadonlySet<Code | FileCode | ServerCode> = new Set([
  'settings-missing',
  'settings-damaged',
  'settings-newer',
  'settings-differ',
  'foreign-journal',
  'newer-journal',
  'foreign-file',
  'newer-file',
  'unreachable-server',
  'unusable-server',
])

/** Those that `--fix` would mend. */
export function mendable<T extends { readonly code: Code | FileCode | ServerCode; readonly fixable: boolean }>(
  findings: readonly T[],
): T[] {
  return findings.some(({ code }) => KEEPS_FROM_MENDING.has(code)) ? [] : findings.filter(({ fixable }) => fixable)
}
