/** Opens an engine in this thread: machine code, and WASM where that can't be loaded. */
import type { Engine, EngineSettings } from './engine.ts'
import { NoMiniLmError } from './model-files.ts'
import { openNativeEngine } from './native-engine.ts'
import { openWasmEngine } from './wasm-engine.ts'

export async function openEngine(settings: EngineSettings): Promise<Engine> {
  if (settings.kind === 'wasm') return openWasmEngine(settings)
  if (settings.kind === 'native' || settings.packages['@lat.md/embed'] === undefined) return openNativeEngine(settings)
  try {
    return await openNativeEngine(settings)
  } catch (error) {
    if (!(error instanceof NoMiniLmError)) throw error
    return openWasmEngine(settings)
  }
}
