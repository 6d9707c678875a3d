/** The model in ONNX Runtime's machine code. Its `run` holds the thread that it is called in. */
import { createRequire } from 'node:module'
import type { Engine, EngineSettings } from './engine.ts'
import { loadGraph } from './graph-file.ts'
import { folderOf, NoMiniLmError, type Packages } from './model-files.ts'
import { DIMENSIONS, MASK_INPUT, TOKENS_INPUT, VECTORS_OUTPUT } from './sentence-graph.ts'
import { openTokenizer, type Tokenize } from './tokenizer.ts'

/** What is used of onnxruntime-node, which comes without types. */
interface OnnxRuntime {
  readonly Tensor: new (type: 'int64', values: BigInt64Array, shape: readonly number[]) => object
  readonly InferenceSession: { create(graph: string | Uint8Array, options: object): Promise<Session> }
}

interface Session {
  run(inputs: Readonly<Record<string, object>>): Promise<Readonly<Record<string, { readonly data: Float32Array }>>>
}

const ERRORS_ONLY = 3

export async function openNativeEngine({ packages, cacheFolder, threads }: EngineSettings): Promise<Engine> {
  const runtime = loadRuntime(packages)
  const tokenize = openTokenizer(packages)
  const session = await runtime.InferenceSession.create(loadGraph(packages, cacheFolder), {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: ERRORS_ONLY,
  })
  return {
    kind: 'native',
    run: (texts) => run(runtime, session, texts.map(tokenize)),
    // This version of the runtime frees a session with the object.
    close: () => Promise.resolve(),
  }
}

function loadRuntime(packages: Packages): OnnxRuntime {
  const folder = folderOf('onnxruntime-node', packages)
  try {
    return createRequire(import.meta.url)(folder) as OnnxRuntime // the version is pinned
  } catch (error) {
    throw new NoMiniLmError(
      `onnxruntime-node does not run here: ${error instanceof Error ? error.message : error}`,
      error,
    )
  }
}

async function run(
  { Tensor }: OnnxRuntime,
  session: Session,
  texts: readonly ReturnType<Tokenize>[],
): Promise<readonly Float32Array[]> {
  const length = Math.max(...texts.map((tokens) => tokens.length))
  const all = new BigInt64Array(texts.length * length)
  const mask = new BigInt64Array(texts.length * length)
  texts.forEach((tokens, row) => {
    all.set(tokens.map(BigInt), row * length)
    mask.fill(1n, row * length, row * length + tokens.length)
  })
  const shape = [texts.length, length]
  const outputs = await session.run({
    [TOKENS_INPUT]: new Tensor('int64', all, shape),
    [MASK_INPUT]: new Tensor('int64', mask, shape),
  })
  const vectors = outputs[VECTORS_OUTPUT]?.data
  if (vectors?.length !== texts.length * DIMENSIONS) throw new Error('the model gave no vectors')
  return texts.map((_, row) => vectors.slice(row * DIMENSIONS, (row + 1) * DIMENSIONS))
}
