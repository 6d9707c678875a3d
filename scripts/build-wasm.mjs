// Makes src/search/vectors/kernels-wasm.ts of kernels.wat. The result is in the repository, so that tests and editors need no build, and a
// test holds it to its source. Only written where it differs: watchers of the sources are not woken for nothing.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openWabt from 'wabt'

const FOLDER = new URL('../src/search/vectors/', import.meta.url)

/** The text of the module that carries the compiled loops. */
export async function wasmModule() {
  const wabt = await openWabt()
  const parsed = wabt.parseWat('kernels.wat', readFileSync(new URL('kernels.wat', FOLDER), 'utf8'), { simd: true })
  parsed.validate()
  const { buffer } = parsed.toBinary({})
  parsed.destroy()
  return `/** Made of kernels.wat by scripts/build-wasm.mjs: the loops over vectors, compiled, in base64. */
export const KERNELS =
  '${Buffer.from(buffer).toString('base64')}'
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = new URL('kernels-wasm.ts', FOLDER)
  const made = await wasmModule()
  if (readIfThere(file) !== made) writeFileSync(file, made)
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
