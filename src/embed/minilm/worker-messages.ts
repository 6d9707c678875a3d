/** What the process that works out vectors is asked, and what it answers. Types only. */
import type { ErrorCode } from '../../errors.ts'
import type { EngineKind, EngineSettings } from './engine.ts'

export type Request = { readonly id: number } & (
  | { readonly open: EngineSettings }
  | { readonly texts: readonly string[] }
)

export type Answer = { readonly id: number } & (
  | { readonly opened: EngineKind }
  | { readonly vectors: readonly Float32Array[] }
  | { readonly failed: Failed }
)

export interface Failed {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string | undefined
}
