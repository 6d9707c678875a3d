/** From a definition to a tool: the schema and the check come from one table, the hints for clients from one word. */
import { type ErrorCode, isKeepsakeError } from '../errors.ts'
import { CALL_OPTIONS, type OptionNames, requireOptions } from '../model/options.ts'
import { neutral, neutralJson } from '../prompt/neutral.ts'
import { failure } from './failure.ts'
import { checkedArguments, type Given, type ParameterTable, schemaOf } from './parameters.ts'
import type { Annotations, Tool, ToolCall, ToolResult } from './tool.ts'

export interface Definition<Table extends ParameterTable> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly parameters: Table
  readonly effect: Effect
  readonly everyday?: true
  /** What to do about an error, in terms of the tools that a model has; in place of what a person would be told. */
  readonly hints?: Partial<Readonly<Record<ErrorCode, string>>>
  readonly run: (given: Given<Table>, call: ToolCall) => Promise<ToolResult>
}

const TOOL_CALL: OptionNames<ToolCall> = { session: true, ...CALL_OPTIONS }

/** `replaces`: the same call again changes nothing more; `writes`: it may. Both may put something in the place of something. */
export type Effect = 'reads' | 'appends' | 'writes' | 'replaces'

const EFFECTS: Readonly<Record<Effect, Annotations>> = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  appends: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  writes: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  replaces: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
}

export function defineTool<Table extends ParameterTable>(definition: Definition<Table>): Tool {
  const { name, title, description, parameters, effect, everyday = false, hints = {} } = definition
  return {
    name,
    title,
    description,
    inputSchema: schemaOf(parameters),
    annotations: EFFECTS[effect],
    everyday,
    run: async (args, call = {}) => {
      requireOptions(call, `${name}.run`, TOOL_CALL)
      call.signal?.throwIfAborted()
      try {
        return neutralResult(await definition.run(checkedArguments(args, parameters), call))
      } catch (error) {
        call.signal?.throwIfAborted()
        if (!isKeepsakeError(error)) throw error
        return neutralResult(failure(error, hints))
      }
    },
  }
}

/** Escapes both text and data: both quote memories, and it depends on the client which of them the model reads. */
function neutralResult(result: ToolResult): ToolResult {
  return { ...result, text: neutral(result.text), structured: neutralJson(result.structured) }
}
