/**
 * Results of this memory's own tools. What they show is in the memory already: a model is given it as by auto-recall, and nobody has
 * said it. A program that runs the tools itself marks the turn: `metadata.given` is true. A client names them after our server. Pure.
 */
import type { Metadata } from './entry.ts'

/** As the clients name a tool of the server that `install` sets up. */
const OWN_TOOL = /^(?:mcp__keepsake__|mcp_keepsake_)/

interface Result {
  readonly role: string
  readonly tools: readonly string[]
  readonly metadata: Metadata
}

export function isOwnTool(name: string): boolean {
  return OWN_TOOL.test(name)
}

export function isMarkedResult({ role, metadata }: Result): boolean {
  return role === 'tool' && metadata['given'] === true
}

export function isOwnResult(turn: Result): boolean {
  return isMarkedResult(turn) || (turn.role === 'tool' && turn.tools.length > 0 && turn.tools.every(isOwnTool))
}
