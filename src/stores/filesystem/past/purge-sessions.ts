/** The transcripts of a workspace without some texts: what becomes of each is in purged-transcript.ts. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { purgedTranscript } from '../../disk/purged-transcript.ts'
import { readFileAt, statFile } from '../../disk/reading.ts'
import { replaceFileDurably } from '../../disk/system.ts'
import { scopeFolder } from '../layout.ts'
import type { Workspace } from '../workspace.ts'

/** Only for the holder of the lock. How many transcripts were changed. */
export async function purgeSessions(workspace: Workspace, needles: readonly string[]): Promise<number> {
  let changed = 0
  for (const path of transcripts(workspace)) {
    const bytes = readFileAt(path)?.bytes
    const purged = bytes && purgedTranscript(bytes, needles)
    if (!bytes || !purged || Buffer.compare(bytes, purged) === 0) continue
    await replaceFileDurably(path, purged, join(workspace.stateFolder, 'tmp'))
    changed++
  }
  return changed
}

function transcripts({ layout, root }: Workspace): string[] {
  const scopes = layout.layout === 'flat' ? [layout.flatAgent] : [...layout.agentFolders.keys()]
  return scopes.flatMap((scope) => {
    const folder = join(root, `${scopeFolder(layout, scope)}sessions`)
    if (!statFile(folder)?.isDirectory()) return []
    return readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(folder, name))
  })
}
