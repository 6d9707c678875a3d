/**
 * A folder of basic-memory: a note a file. The text stays as it is, for observations and relations are Markdown there too; the
 * title is the name, the permalink an alias, and what else the front matter says is metadata.
 */
import { withTheirs } from './foreign-metadata.ts'
import { foreignTime, times } from './foreign-time.ts'
import { readMarkdown, stemOf, tagsOf } from './markdown-file.ts'
import type { Candidate, ImportPlan, ImportProblem, ReadOptions, SourceFile } from './plan.ts'

const KNOWN = ['title', 'permalink', 'tags', 'created', 'modified']

export function readBasicMemory(files: readonly SourceFile[], options: ReadOptions): ImportPlan {
  const problems: ImportProblem[] = []
  const candidates = files.map((file) => noteOf(file, options, problems))
  return { candidates, problems }
}

function noteOf(file: SourceFile, options: ReadOptions, problems: ImportProblem[]): Candidate {
  const { path, modifiedAt } = file
  const { keys, content, problems: unread } = readMarkdown(file, options)
  const { metadata, problems: leftOut } = keys.others(KNOWN, path)
  problems.push(...unread, ...leftOut)
  const [permalink, tags] = [keys.text('permalink'), tagsOf(keys.get('tags'))]
  // Every note is of some type there, and most are of the type note.
  const { type, ...others } = metadata
  const [created, modified] = [keys.get('created'), keys.get('modified')].map((at) => foreignTime(at, options.zone))
  return {
    kind: 'note',
    key: path,
    name: keys.text('title') ?? stemOf(path),
    content,
    ...(permalink === undefined ? {} : { aliases: [permalink] }),
    metadata: withTheirs(
      {
        imported_from: 'basic-memory',
        ...(type === undefined || type === 'note' ? {} : { type }),
        ...(tags.length === 0 ? {} : { tags }),
      },
      others,
    ),
    ...times(created ?? modified ?? modifiedAt, modified ?? modifiedAt),
    source: path,
  }
}
