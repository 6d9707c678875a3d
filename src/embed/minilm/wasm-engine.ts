/**
 * The model in WebAssembly, for where machine code can't be loaded (another C library, an odd processor): the same weights and
 * vectors, at about ten times the work. It brings its own tokenizer, which cuts at what it is told. It holds the thread that it is
 * called in.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Engine, EngineSettings } from './engine.ts'
import { folderOf, readModelFile } from './model-files.ts'
import { MOST_TOKENS } from './tokenizer.ts'

/** What is used of @lat.md/embed: its engine without the worker threads around it, since we have a process. */
interface WasmPackage {
  readonly Embedder: new (
    weights: Uint8Array,
    tokenizer: Uint8Array,
    config: Uint8Array,
    mostTokens: number,
  ) => { embed(texts: readonly string[]): readonly (readonly number[])[]; free(): void }
}

export async function openWasmEngine({ packages }: Pick<EngineSettings, 'packages'>): Promise<Engine> {
  const path = join(folderOf('@lat.md/embed', packages), 'dist/engine.cjs')
  const { Embedder } = createRequire(import.meta.url)(path) as WasmPackage // the version is pinned
  const embedder = new Embedder(
    readModelFile('weights', packages),
    readModelFile('tokenizer', packages),
    readModelFile('config', packages),
    MOST_TOKENS,
  )
  return {
    kind: 'wasm',
    // One by one: to pad a batch costs it more than it gains.
    run: async (texts) => texts.map((text) => Float32Array.from(embedder.embed([text.toWellFormed()])[0] ?? [])),
    close: async () => embedder.free(),
  }
}
