/** Folders with packages in them, as a test wants them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterThisFile } from '../clean-up.ts'

export const ROOT: string = resolve(import.meta.dirname, '../..')

export function freshFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'keepsake-embed-')))
  afterThisFile(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A package that calls itself onnxruntime-node. `code` may use `real`, the true one. */
export function fakeRuntime(
  folder: string,
  code: string,
  { version = '1.17.0' }: { readonly version?: string } = {},
): void {
  const fake = join(folder, 'node_modules/onnxruntime-node')
  mkdirSync(fake, { recursive: true })
  const real = JSON.stringify(join(ROOT, 'node_modules/onnxruntime-node'))
  writeFileSync(join(fake, 'package.json'), JSON.stringify({ name: 'onnxruntime-node', version, main: 'index.js' }))
  writeFileSync(join(fake, 'index.js'), `const real = () => require(${real})\n${code}\n`)
}
