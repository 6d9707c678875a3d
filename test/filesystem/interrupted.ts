/** A crash between journal and files, as kill -9 leaves it: what was written is in the journal only. */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Of what `write` does, the last change is left unwritten. */
export async function interrupted<T>(root: string, write: () => Promise<T>): Promise<T> {
  const before = textsIn(root)
  const result = await write()
  for (const path of lastWritten(root)) {
    const text = before.get(path)
    if (text === undefined) rmSync(join(root, path))
    else writeFileSync(join(root, path), text)
  }
  const lock = join(root, '.state/lock')
  const [done = ''] = readdirSync(lock).filter((name) => name.endsWith('.done'))
  // Another number: whoever had the lock last knows how it let go of it.
  renameSync(join(lock, done), join(lock, `${Number.parseInt(done, 10) + 1}.undone`))
  return result
}

function textsIn(root: string): Map<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const texts = paths.filter((path) => path.endsWith('.md') && !path.startsWith('.state'))
  return new Map(texts.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

function lastWritten(root: string): string[] {
  const folder = join(root, '.state/journal')
  const [segment = ''] = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  const line = readFileSync(join(folder, segment), 'utf8').trimEnd().split('\n').at(-1) ?? ''
  const { files } = JSON.parse(line.slice(line.indexOf(' '))) as { files: { path: string }[] } // as docs/format.md has it
  return files.map(({ path }) => path)
}
