/** Markdown that nobody reads: in a folder below one of ours, or in an agent's folder whose name is no agent's id. */

import { counted, type Finding, finding } from '../../disk/doctor/finding.ts'
import type { Evidence } from './evidence.ts'
import { grouped } from './grouped.ts'
import { readFolders } from './text-places.ts'
import { type Item, isState } from './tree.ts'

/** Read by name, as documents. */
const DOCUMENTS = /^directives(\/|$)/

export function checkUnread(evidence: Evidence): Finding[] {
  const read = readFolders(evidence)
  const unread = evidence.tree.items.filter((item) => isMarkdown(item) && !read.has(item.folder))
  return grouped(unread, ({ folder }) => folder).flatMap(([first, ...others]) => {
    if (!first) return []
    const hint = 'Move it to a folder that is read, such as world/ or entries/, or leave it if it is no memory.'
    if (others.length === 0) return finding('unread-file', first.path, 'it lies in a folder that is never read', hint)
    const files = counted(others.length + 1, 'file', 'files')
    return finding(
      'unread-file',
      first.folder,
      `${files} of Markdown in it, and it is a folder that is never read`,
      hint,
    )
  })
}

/** At the root anything may lie. */
function isMarkdown(item: Item): boolean {
  const { type, folder, name } = item
  if (type !== 'file' || folder === '' || isState(item) || DOCUMENTS.test(folder)) return false
  return name.endsWith('.md') && !name.startsWith('.')
}
