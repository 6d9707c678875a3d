/**
 * The compiled loops of kernels.wat, where this engine can run them. The few types of WebAssembly that are needed are here, for only the
 * DOM's library declares them.
 */
import { KERNELS } from './kernels-wasm.ts'

export interface Kernels {
  encode(rows: number, count: number, stride: number, codes: number, scales: number, radii: number): number
  listReaching(
    codes: number,
    scales: number,
    radii: number,
    rows: number,
    firstRow: number,
    stride: number,
    query: number,
    unit: number,
    reach: number,
    floor: number,
    list: number,
  ): number
  dots(
    list: number,
    count: number,
    query: number,
    stride: number,
    blocks: number,
    blockBytes: number,
    scores: number,
  ): void
}

export interface Memory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

interface Wasm {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: Kernels }
  readonly Memory: new (size: { readonly initial: number }) => Memory
}

let compiled: object | undefined

/** The loops over a memory of their own, empty but for `bytes`. Missing: this engine has no WASM SIMD, or no room for another memory. */
export function openKernels(bytes: number): { readonly kernels: Kernels; readonly memory: Memory } | undefined {
  const wasm = (globalThis as { readonly WebAssembly?: Wasm }).WebAssembly
  if (wasm === undefined) return undefined
  try {
    compiled ??= new wasm.Module(Uint8Array.from(atob(KERNELS), (character) => character.charCodeAt(0)))
    const memory = new wasm.Memory({ initial: pagesOf(bytes) })
    return { kernels: new wasm.Instance(compiled, { rows: { memory } }).exports, memory }
  } catch {
    return undefined
  }
}

/** WASM memory comes in pages of 64 KiB. */
export function pagesOf(bytes: number): number {
  return Math.ceil(bytes / 65536)
}
