/**
 * What a tool is, free of any framework: a name, words for a model, a schema, and what runs. The MCP server and programs with a
 * loop of their own use the same ones. Types only.
 */
import type { JsonValue } from '../model/entry.ts'
import type { CallOptions } from '../ports/store.ts'

export interface Tool {
  readonly name: string
  readonly title: string
  /** Written for a model: when to use it, what it gives. */
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly annotations: Annotations
  /** Whether a client should load it at once rather than when it is searched for. */
  readonly everyday: boolean
  /**
   * What a caller can do wrong is a result with `isError`, never an exception. Throws only when the signal aborts it, and on
   * mistakes of ours.
   */
  readonly run: (args: unknown, options?: ToolCall) => Promise<ToolResult>
}

export interface ToolCall extends CallOptions {
  /** The session that the call belongs to; what it writes says so. */
  readonly session?: string
}

export interface ToolResult {
  /** For a model: the whole answer. */
  readonly text: string
  /** The same whole answer as data; some clients show a model only this, others only the text. */
  readonly structured: { readonly [key: string]: JsonValue }
  readonly isError?: true
}

/** Hints for clients, as MCP has them. */
export interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: false
}

export interface JsonSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, PropertySchema>>
  readonly required?: readonly string[]
  readonly additionalProperties: false
}

export interface PropertySchema {
  readonly type: 'string' | 'integer' | 'boolean' | 'array' | 'object' | readonly ['string', 'null']
  readonly description?: string
  readonly enum?: readonly string[]
  readonly items?: PropertySchema
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: number | string
}
