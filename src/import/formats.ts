/** The table of formats: whose memory it is, what of a folder is looked at, and what reads it. */
import { readBasicMemory } from './basic-memory.ts'
import { readClaudeCode } from './claude-code.ts'
import { readMem0 } from './mem0.ts'
import { readOpenClaw } from './openclaw.ts'
import type { ImportPlan, ReadOptions, SourceFile } from './plan.ts'
import { readServerMemory } from './server-memory.ts'

export type ImportFormat = 'server-memory' | 'basic-memory' | 'claude-code' | 'openclaw' | 'mem0'

export interface Format {
  /** As its makers write it. */
  readonly program: string
  /** `file`: one file of JSON; `folder`: the Markdown files of a folder. */
  readonly shape: 'file' | 'folder'
  /** Of a folder that has any of these only they are looked at: the rest is not memory. */
  readonly within: readonly string[]
  /** Whether keys of two sources never mean two things, as ids do that were made at random. */
  readonly uniqueKeys: boolean
  readonly read: (files: readonly SourceFile[], options: ReadOptions) => ImportPlan
}

export const FORMATS: Readonly<Record<ImportFormat, Format>> = {
  'server-memory': {
    program: 'the MCP memory server',
    shape: 'file',
    within: [],
    uniqueKeys: false,
    read: readServerMemory,
  },
  'basic-memory': { program: 'basic-memory', shape: 'folder', within: [], uniqueKeys: false, read: readBasicMemory },
  'claude-code': { program: 'Claude Code', shape: 'folder', within: [], uniqueKeys: false, read: readClaudeCode },
  openclaw: {
    program: 'OpenClaw',
    shape: 'folder',
    within: ['MEMORY.md', 'memory.md', 'memory'],
    uniqueKeys: false,
    read: readOpenClaw,
  },
  mem0: { program: 'mem0', shape: 'file', within: [], uniqueKeys: true, read: readMem0 },
}

export const IMPORT_FORMATS: readonly ImportFormat[] = Object.keys(FORMATS) as ImportFormat[] // the table's keys, by its type
