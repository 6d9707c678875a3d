/** Reading entries: by id or name a look at one file, by filter a look at the folder. */
import { isKeepsakeError } from '../../errors.ts'
import { handlesOf, type StateView } from '../../model/draft.ts'
import { type Entry, type EntryHead, type Scope, WORLD } from '../../model/entry.ts'
import { matchesHead } from '../../model/filter.ts'
import { KIND_NAMES, KINDS } from '../../model/kinds.ts'
import { slugCandidates } from '../../model/name.ts'
import type { ScanFilter } from '../../ports/store.ts'
import { statFile } from '../disk/reading.ts'
import { fixedPath, placeOf, slugFolder } from './layout.ts'
import { survey, viewWithEdits } from './survey.ts'
import type { Workspace } from './workspace.ts'

export class Reader {
  readonly #workspace: Workspace

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }

  /** Looks at the one file that holds it; only where it is not there, at all. */
  get(id: string): Entry | undefined {
    const found = this.#workspace.files.view().get(id)
    if (found) return found
    return viewWithEdits(this.#workspace, survey(this.#workspace).edits).view.get(id)
  }

  resolve(scope: Scope, name: string): Entry | undefined {
    const known = this.held(scope, name)
    if (known) return known
    return this.#unseen(scope, name)
  }

  held(scope: Scope, handle: string): Entry | undefined {
    const id = this.#workspace.catalog.owner(scope, handle)
    const entry = id === undefined ? undefined : this.get(id)
    return entry && handlesOf(entry).includes(handle) ? entry : undefined
  }

  /** A file that a person made where this name would lie, and that nobody has taken in yet. */
  #unseen(scope: Scope, name: string): Entry | undefined {
    const { layout, catalog, settings } = this.#workspace
    const now = '1970-01-01T00:00:00.000Z'
    const [candidate] = slugCandidates(name)
    for (const kind of KIND_NAMES) {
      const rule = KINDS[kind]
      if ((rule.scope === 'world') !== (scope === WORLD) || rule.naming === 'none' || rule.naming === 'key') continue
      const head = { scope, kind, createdAt: now }
      const folder = slugFolder(layout, head)
      if (folder === undefined && rule.fixedName !== name) continue
      const path = folder === undefined ? fixedPath(layout, head, settings.timezone) : `${folder}${candidate}.md`
      if (!catalog.files.has(path) && isMissing(this.#workspace.absolute(path))) continue
      if (catalog.idsAt(path).size > 0 && this.#workspace.files.isAsKnown(path)) continue
      const found = this.#workspace.files.see(placeOf(layout, head, path))?.said.entries[0]
      if (!found || !handlesOf(found).includes(name)) continue
      // Another file may name the same id: only a look at all of them settles whose it is.
      const seen = survey(this.#workspace, [scope], [kind]).edits.flatMap(({ after }) => after ?? [])
      const entry = seen.find((one) => one.path === path)
      if (entry) return entry
    }
    return undefined
  }

  *scan(filter: ScanFilter): Generator<Entry> {
    const { view, heads } = this.found(filter)
    for (const head of heads) {
      const entry = view.get(head.id)
      if (entry) yield entry
    }
  }

  found(filter: ScanFilter): { readonly view: StateView; readonly heads: readonly EntryHead[] } {
    const { edits } = survey(this.#workspace, filter.scopes, filter.kinds)
    const { view, heads } = viewWithEdits(this.#workspace, edits, filter)
    const wanted: EntryHead[] = []
    for (const head of heads) if (matchesHead(head, filter)) wanted.push(head)
    return { view, heads: wanted.sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : 1)) }
  }
}

/** What can't be looked at is not missing: who reads it says why. */
function isMissing(path: string): boolean {
  try {
    return statFile(path) === undefined
  } catch (error) {
    if (isKeepsakeError(error)) return false
    throw error
  }
}
