/** Names of files that another system would merge, refuse or spell otherwise, and things that are no plain files. */
import { KINDS } from '../../../model/kinds.ts'
import { type Finding, finding } from '../../disk/doctor/finding.ts'
import { STATE_FOLDER } from '../layout.ts'
import type { Evidence } from './evidence.ts'
import { grouped } from './grouped.ts'
import { isEditorFile } from './litter-checks.ts'
import { type Item, isState } from './tree.ts'

const RENAME = 'Give one of them another file name: on macOS and Windows, or in a synced folder, they would be one.'
// biome-ignore lint/suspicious/noControlCharactersInRegex: Windows allows none of them in names
const NOT_ON_WINDOWS = /[<>:"|?*\\\u0001-\u001f]|[. ]$/
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i

export function checkNames({ tree }: Evidence): Finding[] {
  const items = tree.items.filter((item) => !isState(item))
  return [...collisions(items), ...items.flatMap(windowsName)]
}

export function checkNormalForms(evidence: Evidence): Finding[] {
  return decomposedNames(evidence).map(({ path }) => {
    const problem = 'its file name is spelled with separate accents (NFD)'
    return finding('nfd-name', path, problem, '--fix renames it to the usual spelling (NFC); its entry stays the same.')
  })
}

/** Cards and topics whose names could be spelled in NFC without meeting another. */
export function decomposedNames({ texts, tree }: Evidence): { readonly path: string; readonly target: string }[] {
  const counts = new Map<string, number>()
  for (const { path } of tree.items) counts.set(fold(path), (counts.get(fold(path)) ?? 0) + 1)
  return texts.flatMap(({ place: { path, kind }, understood }) => {
    const place = KINDS[kind].place
    const target = path.normalize('NFC')
    if (target === path || !understood || !('by' in place) || place.by !== 'slug') return []
    return counts.get(fold(path)) === 1 ? { path, target } : []
  })
}

export function checkTypes({ tree }: Evidence): Finding[] {
  return [
    ...tree.unreadable.map(({ path, problem }) =>
      finding('unreadable', path, problem, 'Check its owner and mode, and the disk.'),
    ),
    ...tree.items.flatMap(oddType),
  ]
}

function oddType(item: Item): Finding[] {
  const { path, type, name } = item
  if (type === 'link') {
    if (isLockLink(path) || isEditorFile(name)) return []
    const hint = 'Put the file itself here, or remove the link.'
    return [finding('link', path, 'it is a link; links are never followed', hint)]
  }
  if (type !== 'other' && !(type === 'folder' && name.endsWith('.md') && !isState(item))) return []
  return [finding('not-a-file', path, 'it is not a plain file, and is never read', 'Move it away.')]
}

/** Locks are made of links, on purpose. */
function isLockLink(path: string): boolean {
  return path.startsWith(`${STATE_FOLDER}/lock/`) || path.startsWith(`${STATE_FOLDER}/leases/`)
}

function collisions(items: readonly Item[]): Finding[] {
  return grouped(items, ({ path }) => fold(path)).flatMap(([first, ...others]) =>
    others.map(({ path, name }) => {
      const sameCase = name.normalize('NFC') === first?.name.normalize('NFC')
      const code = sameCase ? 'unicode-collision' : 'case-collision'
      const how = sameCase ? 'in how its accents are spelled (NFC, NFD)' : 'in upper and lower case'
      return finding(code, path, `its name differs from "${first?.name}" only ${how}`, RENAME)
    }),
  )
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

function windowsName({ path, name }: Item): Finding[] {
  if (!DEVICE.test(name) && !NOT_ON_WINDOWS.test(name)) return []
  const hint = 'Rename the file if the memory is ever to be copied or synced to Windows.'
  return [finding('windows-name', path, 'Windows allows no file of this name', hint)]
}
