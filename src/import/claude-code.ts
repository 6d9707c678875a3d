/**
 * The folder in which Claude Code keeps what it has noted of a project: MEMORY.md, which it always reads, and a file a memory.
 * MEMORY.md becomes the agent's own; each other file a note, which its file's name leads to as well, for MEMORY.md names files.
 */
import type { Metadata } from '../model/entry.ts'
import { isRecord } from './foreign-json.ts'
import { withTheirs } from './foreign-metadata.ts'
import { foreignTime, times } from './foreign-time.ts'
import { readMarkdown, stemOf } from './markdown-file.ts'
import type { Candidate, ImportPlan, ImportProblem, ReadOptions, SourceFile } from './plan.ts'

const INDEX = 'MEMORY.md'
const KNOWN = ['name', 'description']

export function readClaudeCode(files: readonly SourceFile[], options: ReadOptions): ImportPlan {
  const problems: ImportProblem[] = []
  const candidates = files.map((file) => (file.path === INDEX ? indexOf(file) : noteOf(file, options, problems)))
  return { candidates, problems }
}

function indexOf({ path, text, modifiedAt }: SourceFile): Candidate {
  return { kind: 'memory', key: path, content: text, ...times(modifiedAt, modifiedAt), source: path }
}

function noteOf(file: SourceFile, options: ReadOptions, problems: ImportProblem[]): Candidate {
  const { path, modifiedAt } = file
  const { keys, content, problems: unread } = readMarkdown(file, options)
  const { metadata, problems: leftOut } = keys.others(KNOWN, path)
  problems.push(...unread, ...leftOut)
  // Older versions wrote the type beside the name, later ones all that is not for people below `metadata`.
  const { metadata: nested, ...beside } = metadata
  const below = isRecord(nested) ? (nested as Metadata) : nested === undefined ? {} : { metadata: nested } // of metadata a part is metadata
  const { node_type: _, modified, ...said } = { ...beside, ...below } as Metadata
  const [description, stem] = [keys.text('description'), stemOf(path)]
  const name = keys.text('name') ?? stem
  const updated = foreignTime(modified, options.zone) ?? modifiedAt
  return {
    kind: 'note',
    key: path,
    name,
    content,
    ...(name === stem ? {} : { aliases: [stem] }),
    ...(description === undefined ? {} : { description }),
    metadata: withTheirs({ imported_from: 'claude-code' }, said),
    ...times(updated, updated),
    source: path,
  }
}
