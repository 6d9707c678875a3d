/**
 * A workspace as one process sees it: its settings and layout, the catalogue kept in step with the journal, and `files`, read
 * through it. Reading only: nothing here writes, takes the lock, or waits for anyone, so that a read-only folder can be
 * recalled from.
 */
import { join } from 'node:path'
import type { ParseYaml } from '../../codec/file-entry.ts'
import { ForeignError, type KeepsakeError, StorageError } from '../../errors.ts'
import type { Scope } from '../../model/entry.ts'
import { normalizeAgentId } from '../../model/name.ts'
import type { Settings } from '../../ports/store.ts'
import { listFolder } from '../disk/list-folder.ts'
import { statFile } from '../disk/reading.ts'
import type { Catalog } from './catalog.ts'
import { FileReader } from './file-reader.ts'
import { Follower, type JournalState } from './follower.ts'
import { Journal } from './journal.ts'
import { isOutside, type Layout, STATE_FOLDER } from './layout.ts'
import { Swap } from './swap.ts'

export interface WorkspaceFacts {
  readonly root: string
  readonly settings: Settings
  /** Whether the settings stand in keepsake.yaml already; until the first write they are only what we would pin. */
  readonly pinned: boolean
  /**
   * What keepsake.yaml says by now; `undefined` where there is none. `known` is what it said before, if it did: throws where the
   * folder is another workspace since then, and one that we can't go on with.
   */
  readonly readPinned: (known: Settings | undefined) => Settings | undefined
  readonly agent: string
  /** An identity file outside the workspace, from configuration. */
  readonly identityFile: string | undefined
  readonly yaml: ParseYaml
}

export class Workspace {
  readonly root: string
  readonly journal: Journal
  #facts: WorkspaceFacts
  readonly swap: Swap
  readonly files: FileReader
  readonly #follower: Follower
  readonly #links = new Map<string, string | null>()
  #layout: Layout | undefined
  #hasLooked = false

  constructor(facts: WorkspaceFacts) {
    this.#facts = facts
    this.root = facts.root
    this.journal = new Journal(join(facts.root, STATE_FOLDER, 'journal'))
    this.swap = new Swap(this.stateFolder)
    this.files = new FileReader(this)
    this.#follower = new Follower(this.journal, this.stateFolder, () => this.#idNow())
  }

  get stateFolder(): string {
    return join(this.root, STATE_FOLDER)
  }

  get catalog(): Catalog {
    return this.#follower.catalog
  }

  get settings(): Settings {
    return this.#facts.settings
  }

  get yaml(): ParseYaml {
    return this.#facts.yaml
  }

  /** `undefined` until there is a journal. */
  get state(): JournalState | undefined {
    return this.#follower.state
  }

  get layout(): Layout {
    this.#layout ??= {
      layout: this.settings.layout,
      flatAgent: this.#facts.agent,
      identityFile: this.#facts.identityFile ?? this.settings.identityFile,
      agentFolders: new Map(this.#agentFolders()),
    }
    return this.#layout
  }

  absolute(path: string): string {
    return isOutside(path) ? path : join(this.root, path)
  }

  /** What is pinned holds for us too, whoever pinned it. */
  adoptPinned(): void {
    const settings = this.#pinnedNow()
    if (settings) this.adoptSettings(settings)
  }

  #pinnedNow(): Settings | undefined {
    return this.#facts.readPinned(this.#facts.pinned ? this.settings : undefined)
  }

  /** Whoever holds the lock of a folder that was deleted or moved away must not write to the one in its place. */
  refuseReplaced(): void {
    const { id } = this.#pinnedNow() ?? this.settings
    const { position, inode } = this.state ?? {}
    const isOther = position && statFile(this.journal.pathOf(position.segment))?.ino !== inode
    if (id !== this.settings.id || isOther) throw this.replacedError()
  }

  replacedError(): KeepsakeError {
    return new StorageError(
      'writing to',
      this.root,
      'it was removed or replaced at this very moment',
      'Nothing was written. Try again: what is there now will be written to.',
    )
  }

  adoptSettings(settings: Settings): void {
    if (settings.id !== this.settings.id) this.#follower.startOver()
    this.#facts = { ...this.#facts, settings, pinned: true }
    this.forgetLayout()
  }

  /** Nothing is read or written through a link: it could lead anywhere. */
  refuseLinks(path: string): void {
    const link = this.#linkIn(path.slice(0, path.lastIndexOf('/'))) ?? (this.#isLink(path) ? path : undefined)
    if (link !== undefined) throw new ForeignError(link, 'it is a link; nothing is read or written through links')
  }

  /** The first part of a folder's path that is a link. Asked once a folder and answer, since every file asks. */
  #linkIn(folder: string): string | undefined {
    if (folder === '' || isOutside(folder)) return undefined
    const known = this.#links.get(folder)
    if (known !== undefined) return known ?? undefined
    const link =
      this.#linkIn(folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) ?? (this.#isLink(folder) ? folder : null)
    this.#links.set(folder, link)
    return link ?? undefined
  }

  #isLink(path: string): boolean {
    return !isOutside(path) && statFile(this.absolute(path))?.isSymbolicLink() === true
  }

  /** Takes in what other processes have written since. */
  catchUp(): void {
    this.#links.clear()
    // Where there is no journal to tell, each look may find that settings are pinned by now, or are others.
    if (!this.#facts.pinned || (this.#hasLooked && !this.state)) this.adoptPinned()
    this.#hasLooked = true
    const { id } = this.settings
    try {
      this.#follow()
    } catch (error) {
      // Somebody pinned settings after we looked for them, and began the journal before we read it.
      this.adoptPinned()
      if (this.settings.id === id) throw error
      this.#follow()
    }
  }

  #follow(): void {
    if (this.#follower.catchUp() === 'anew') this.forgetLayout()
  }

  /** A journal that is no longer the one we know may be another workspace's, in this one's place. */
  #idNow(): string {
    if (this.state) this.adoptPinned()
    return this.settings.id
  }

  /** Reads the journal anew from its checkpoint. */
  startOver(): void {
    this.#follower.startOver()
    this.catchUp()
  }

  /** This process itself has started a segment. */
  setState(state: JournalState): void {
    this.#follower.state = state
  }

  forgetLayout(): void {
    this.#layout = undefined
  }

  *#agentFolders(): Generator<readonly [Scope, string]> {
    if (this.settings.layout === 'flat') return
    const folders = listFolder(join(this.root, 'agents')).filter((item) => item.isDirectory())
    // The folder spelled like the id itself wins over one that differs in case: it comes last.
    const names = folders
      .map((item) => item.name)
      .sort((a, b) => Number(a === a.toLowerCase()) - Number(b === b.toLowerCase()))
    for (const name of names) {
      const id = agentIdOf(name)
      if (id !== undefined) yield [id, name]
    }
  }
}

function agentIdOf(folder: string): Scope | undefined {
  try {
    return normalizeAgentId(folder)
  } catch {
    return undefined // not an agent's folder
  }
}
