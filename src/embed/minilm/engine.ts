/** What works out vectors, by machine code or by WASM, here or in a process of its own: one small batch at a time. */
import type { Packages } from './model-files.ts'

export type EngineKind = 'native' | 'wasm'

export interface EngineSettings {
  readonly packages: Packages
  readonly cacheFolder: string | undefined
  /** Left out: native, and WASM where that can't be loaded. */
  readonly kind: EngineKind | undefined
  readonly threads: number
}

export interface Engine {
  readonly kind: EngineKind
  /** One vector for each text. Not called again before it has answered. */
  run(texts: readonly string[]): Promise<readonly Float32Array[]>
  close(): Promise<void>
}
