/**
 * All that the checks look at, gathered in one pass over the folder: each file is read once, looked at while its text
 * is at hand, and kept only as facts, so that a large memory needs no large memory. Nothing here writes, locks or
 * waits, and what can't be read is a fact like any other.
 */
import { join } from 'node:path'
import type { ParseYaml } from '../../../codec/file-entry.ts'
import { isKeepsakeError } from '../../../errors.ts'
import { newId } from '../../../model/id.ts'
import type { Finding } from '../../disk/doctor/finding.ts'
import { type LockState, lookAtLock } from '../../disk/doctor/lock-state.ts'
import { listFolder } from '../../disk/list-folder.ts'
import { STATE_FOLDER } from '../layout.ts'
import { unwrittenIn } from '../survey.ts'
import { Workspace } from '../workspace.ts'
import { newSettings, type SettingsWish } from '../workspace-settings.ts'
import { type JournalEvidence, lookAtJournal } from './journal-evidence.ts'
import { lookAtSession, type SessionFacts, sessionItems } from './session-checks.ts'
import { lookAtSettings, type PinnedSettings } from './settings-check.ts'
import { placesIn } from './text-places.ts'
import { lookAtText, type TextFacts } from './texts.ts'
import { type Tree, walkTree } from './tree.ts'

export interface ExamineOptions {
  /** Absolute. */
  readonly root: string
  readonly yaml: ParseYaml
  readonly wish?: Wish
  /** An identity file outside the workspace, from configuration; absolute. */
  readonly identityPath?: string | undefined
  /** Told now and then how many files of how many are looked at. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/** What the caller believes the workspace to be. */
export type Wish = SettingsWish & { readonly agent?: string }

/** What is known before the first text is read. */
export interface Scene {
  readonly root: string
  readonly pinned: PinnedSettings
  readonly wish: Wish
  /** With the settings that are pinned or, where they can't be read, those that a new workspace would get. */
  readonly workspace: Workspace
  /** Whether the journal could be followed, so that the catalogue says something. */
  readonly followed: boolean
  readonly tree: Tree
  readonly journal: JournalEvidence
  readonly lock: LockState
  /** Files that the journal knows better than the disk: a crash came between. */
  readonly unwritten: ReadonlySet<string>
}

export interface Evidence extends Scene {
  readonly texts: readonly TextFacts[]
  readonly sessions: readonly SessionFacts[]
  /** What was found while the texts were at hand. */
  readonly foundInTexts: readonly Finding[]
}

const FILES_A_REPORT = 250

export function gatherEvidence(options: ExamineOptions): Evidence {
  const scene = lookAround(options)
  const places = placesIn(scene)
  const transcripts = sessionItems(scene)
  const total = places.length + transcripts.length
  let done = 0
  const tell = (): void => {
    done++
    if (done % FILES_A_REPORT === 0 || done === total) options.onProgress?.(done, total)
  }
  const foundInTexts: Finding[] = []
  const texts = places.map((place): TextFacts => {
    const { facts, findings } = lookAtText(place, scene)
    foundInTexts.push(...findings)
    tell()
    return facts
  })
  const sessions = transcripts.map((item): SessionFacts => {
    const { facts, findings } = lookAtSession(item, scene)
    foundInTexts.push(...findings)
    tell()
    return facts
  })
  return { ...scene, texts, sessions, foundInTexts }
}

function lookAround({ root, yaml, wish = {}, identityPath }: ExamineOptions): Scene {
  const pinned = lookAtSettings(root, yaml)
  const agent = pinned.settings?.agent ?? wish.agent ?? 'main'
  const canLook = isListable(join(root, 'agents'))
  // Where the agents' folders can't be listed, which is told, the rest is looked at as if there were none.
  const layout = canLook ? {} : ({ layout: 'flat' } as const)
  const settings = pinned.settings ?? newSettings(root, newId(Date.now()), agent, layout)
  const workspace = new Workspace({
    root,
    settings: { ...settings, ...layout },
    // Also when they can't be read: then nothing is to be looked for there again.
    pinned: true,
    readPinned: () => undefined,
    agent,
    identityFile: identityPath,
    yaml,
  })
  const journal = lookAtJournal(root, workspace.journal, workspace.stateFolder)
  const writer = journal.segments.findLast(({ header }) => header)?.header?.workspace
  if (!pinned.settings && writer !== undefined) workspace.adoptSettings({ ...workspace.settings, id: writer })
  const followed = canLook && follows(workspace)
  const lock = lookAtLock(join(root, STATE_FOLDER, 'lock'))
  const unwritten = followed && lock.is !== 'held' ? unwrittenIn(workspace) : new Set<string>()
  return { root, pinned, wish, workspace, followed, tree: walkTree(root), journal, lock, unwritten }
}

function isListable(folder: string): boolean {
  try {
    listFolder(folder)
    return true
  } catch (error) {
    if (isKeepsakeError(error)) return false
    throw error
  }
}

function follows(workspace: Workspace): boolean {
  try {
    workspace.catchUp()
    return true
  } catch (error) {
    if (isKeepsakeError(error)) return false // the checks of the journal say why
    throw error
  }
}
