/**
 * Which files of a folder must be kept beside its entries so that it can be built again to the byte: documents, and every file of
 * entries that would not lie there, or would not say it so, in a folder made from the entries alone. Found by really making that
 * one, in RAM, until the two agree; a folder that only Keepsake has written to keeps none.
 */
import type { Entry } from '../../../model/entry.ts'
import type { KeptFile } from '../../../ports/store.ts'
import { decodeText } from '../../disk/reading.ts'
import { isOutside, type Layout, mirrorPath, type Place, placeInScope } from '../layout.ts'
import type { Workspace } from '../workspace.ts'
import { layoutFor, Placing } from './places.ts'
import { type ShapedFiles, shapeFiles } from './shape-files.ts'

export interface FolderFiles {
  /** Files where entries lie or may lie, by path. */
  readonly places: ReadonlyMap<string, Place>
  /** Documents, and whatever else is taken along as it is. */
  readonly others: readonly KeptFile[]
}

/** By path. `entries`: all there are, in the order of `seq`, each with its path. */
export function keptFiles(
  workspace: Workspace,
  entries: readonly Entry[],
  { places, others }: FolderFiles,
): KeptFile[] {
  const kept = new KeptSet(workspace, entries, places)
  for (const file of others) kept.add(file)
  kept.keepSpelling()
  for (const path of places.keys()) if (kept.isOfNobody(path)) kept.keep(path)
  kept.keepMisplaced()
  while (kept.keepDiffering()) {
    // What is kept now may make room for others.
  }
  return kept.files()
}

class KeptSet {
  readonly #workspace: Workspace
  /** An identity outside the workspace is no file of it. */
  readonly #entries: readonly Entry[]
  readonly #places: ReadonlyMap<string, Place>
  readonly #byPath = new Map<string, Entry[]>()
  readonly #byId: ReadonlyMap<string, Entry>
  readonly #bytes = new Map<string, Uint8Array | null>()
  readonly #kept = new Map<string, KeptFile>()

  constructor(workspace: Workspace, entries: readonly Entry[], places: ReadonlyMap<string, Place>) {
    this.#workspace = workspace
    this.#places = places
    this.#entries = entries.filter(({ path }) => path !== undefined && !isOutside(path))
    this.#byId = new Map(this.#entries.map((entry) => [entry.id, entry]))
    for (const entry of this.#entries) {
      const path = entry.path ?? ''
      const beside = this.#byPath.get(path)
      if (beside) beside.push(entry)
      else this.#byPath.set(path, [entry])
    }
  }

  files(): KeptFile[] {
    return [...this.#kept.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  add(file: KeptFile): void {
    this.#kept.set(file.path, file)
  }

  isOfNobody(path: string): boolean {
    const place = this.#places.get(path)
    if (this.#byPath.has(path)) return false
    return !place?.mirror || !this.#entries.some((entry) => mirrorPath(this.#workspace.layout, entry) === path)
  }

  keep(path: string): void {
    const bytes = this.#bytesOf(path)
    if (this.#kept.has(path) || bytes === null) return
    const entries = this.#entriesIn(path, bytes).map(({ id, revision }) => ({ id, revision }))
    this.add({ path, bytes, entries })
    // Whose home is the mirror and whose a month can then be told from the months alone.
    const place = this.#places.get(path)
    if (!place?.mirror) return
    for (const month of this.#places.values()) {
      if (month.kind === 'history' && month.scope === place.scope && !month.mirror) this.keep(month.path)
    }
  }

  #entriesIn(path: string, bytes: Uint8Array): readonly Entry[] {
    const own = this.#byPath.get(path) ?? []
    const place = this.#places.get(path)
    if (!place?.mirror) return own
    const said = this.#workspace.files.say(place, bytes, 0).entries
    const all = new Set([...own, ...said.flatMap(({ id }) => this.#byId.get(id) ?? [])])
    return [...all]
  }

  /** An agent's folder that is not spelled like its id is known by a file that lies in it. */
  keepSpelling(): void {
    for (const [scope, folder] of this.#workspace.layout.agentFolders) {
      if (folder === scope || this.#workspace.layout.layout === 'flat') continue
      const first = [...this.#byPath.keys()].find((path) => path.startsWith(`agents/${folder}/`))
      if (first !== undefined) this.keep(first)
    }
  }

  /** One by one, as they will be placed: what lies elsewhere makes room for, or stands in the way of, those after it. */
  keepMisplaced(): void {
    const placing = new Placing(this.#layout, this.#zone, this.#kept.keys())
    for (const entry of this.#entries) {
      const path = entry.path ?? ''
      if (!this.#kept.has(path) && placing.choose(entry) !== path) this.keep(path)
      placing.take(path)
    }
  }

  /** Whether anything more had to be kept. */
  keepDiffering(): boolean {
    const before = this.#kept.size
    const shaped = this.#shape()
    for (const { id, path = '' } of this.#entries) if (shaped.paths.get(id) !== path) this.keep(path)
    for (const path of new Set([...this.#byPath.keys(), ...this.#places.keys()])) {
      if (!this.#kept.has(path) && this.#textOf(path) !== shaped.texts.get(path)) this.keep(path)
    }
    return this.#kept.size > before
  }

  #shape(): ShapedFiles {
    const { yaml } = this.#workspace
    return shapeFiles(this.#entries, { layout: this.#layout, zone: this.#zone, yaml, kept: [...this.#kept.values()] })
  }

  get #layout(): Layout {
    const { settings, layout } = this.#workspace
    return layoutFor(settings, this.#kept.keys(), { agent: layout.flatAgent })
  }

  get #zone(): string {
    return this.#workspace.settings.timezone
  }

  #bytesOf(path: string): Uint8Array | null {
    const known = this.#bytes.get(path)
    if (known !== undefined) return known
    const { bytes } = this.#workspace.files.bytesOf(path)
    this.#bytes.set(path, bytes)
    return bytes
  }

  #textOf(path: string): string | undefined {
    const bytes = this.#bytesOf(path)
    return bytes === null ? undefined : decodeText(bytes)
  }
}

/** Mirrors of the history that somebody has taken away, though there is a history. */
export function missingMirrors(
  layout: Layout,
  entries: readonly Entry[],
  places: ReadonlyMap<string, Place>,
): readonly string[] {
  const scopes = new Set(entries.filter(({ kind }) => kind === 'history').map(({ scope }) => scope))
  return [...scopes]
    .flatMap((scope) => placeInScope(layout, scope, 'HISTORY.md') ?? [])
    .flatMap(({ path }) => (places.has(path) ? [] : path))
}
