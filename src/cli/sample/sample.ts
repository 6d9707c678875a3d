/**
 * The sample memory: made once, clearly a sample, and removed as a whole. It is known by a file of its own in its folder. What is there and
 * is not the sample is never touched.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SETTINGS_FILE } from '../../config/find-workspace.ts'
import { KeepsakeError } from '../../errors.ts'

const SIGN = 'SAMPLE.md'

function signText(id: string): string {
  return `This memory is a sample: the team, its servers and its boats are made up.
Look around, change what you like; \`keepsake serve --sample\` serves it again.
Remove it with one click on the page, or remove this folder: nothing else depends on it.

<!-- the sample ${id} -->
`
}

/** The sign names the workspace that it was made for: a memory of somebody's own that has a file of this name is not the sample. */
export function isSample(root: string): boolean {
  const id = /^id: *(\S+)/m.exec(textAt(join(root, SETTINGS_FILE)))?.[1]
  return id !== undefined && textAt(join(root, SIGN)) === signText(id)
}

function textAt(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // missing, or the memory is not a folder
  }
}

/** Its folder; made where there is nothing yet. */
export async function madeSample(root: string): Promise<string> {
  if (isSample(root)) return root
  if (existsSync(root)) {
    throw new KeepsakeError('FOREIGN', `${root} is there already and is not the sample`, {
      hint: 'Move it away, or serve it with: keepsake serve --workspace FOLDER',
    })
  }
  const { writeSample } = await import('./write-sample.ts')
  // Beside its place until it is whole: half a sample would be taken for somebody's memory.
  const beside = `${root}.${randomUUID()}`
  const clear = (): void => rmSync(beside, { recursive: true, force: true })
  process.once('exit', clear)
  try {
    const id = await writeSample(beside, Date.now())
    writeFileSync(join(beside, SIGN), signText(id), { mode: 0o600 })
    renameSync(beside, root)
  } catch (error) {
    // Somebody else may have made it at the same time.
    if (!isSample(root)) throw error
  } finally {
    process.off('exit', clear)
    clear()
  }
  return root
}

/** Ends the server, and removes the folder once nobody writes there any more. */
export function removeSample(root: string, end: () => void): void {
  if (!isSample(root)) throw new KeepsakeError('FOREIGN', `${root} is not the sample any more`)
  process.once('exit', () => rmSync(root, { recursive: true, force: true }))
  // The answer goes first.
  setImmediate(end)
}
