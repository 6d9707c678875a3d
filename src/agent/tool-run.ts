/**
 * One call of a tool, from what a model sent to what it is told. Whatever goes wrong is a result for the model, so that it can do
 * better; nothing here ends the loop but the signal.
 */
import { InvalidError } from '../errors.ts'
import { abortable } from '../model/abortable.ts'
import { keepableText } from '../model/content.ts'
import type { ModelToolCall, ToolOffer } from '../ports/complete.ts'
import type { ToolCall } from '../tools/tool.ts'
import { cutText } from './cut-text.ts'
import { argumentsOf } from './tool-calls.ts'

/** A tool of one's own; the memory's tools are such, too. */
export interface AgentTool {
  readonly name: string
  /** Written for a model: when to use it, what it gives. */
  readonly description: string
  /** The arguments as a JSON Schema of an object. */
  readonly inputSchema: object
  /** What it throws is told to the model. */
  readonly run: (args: unknown, call: ToolCall) => Answered | Promise<Answered>
}

type Answered = string | { readonly text: string; readonly isError?: true }

export interface ToolOutcome {
  readonly text: string
  readonly isError: boolean
}

export type Toolbox = ReadonlyMap<string, AgentTool>

const MOST_CHARACTERS = 32_000
const MOST_SHOWN = 200

export function toolbox(tools: readonly AgentTool[]): Toolbox {
  const box = new Map<string, AgentTool>()
  for (const tool of tools) {
    if (typeof tool?.name !== 'string' || !/^[\w-]{1,64}$/.test(tool.name)) {
      const allowed = '1 to 64 letters, digits, "_" and "-"'
      throw new InvalidError('tools', `${JSON.stringify(tool?.name) ?? 'undefined'} is no name of a tool`, allowed)
    }
    if (typeof tool.run !== 'function') {
      throw new InvalidError('tools', `"${tool.name}" can't be run`, 'a function "run" with each tool')
    }
    if (box.has(tool.name)) {
      throw new InvalidError('tools', `"${tool.name}" is there twice`, "each name once, the memory's own included")
    }
    box.set(tool.name, tool)
  }
  return box
}

export function offersOf(box: Toolbox): ToolOffer[] {
  return [...box.values()].map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema: { ...inputSchema },
  }))
}

/** Rejects only when the signal aborts it. */
export async function runTool(box: Toolbox, call: ModelToolCall, options: ToolCall): Promise<ToolOutcome> {
  options.signal?.throwIfAborted()
  const tool = box.get(call.name)
  if (!tool) return failed(`There is no tool "${call.name}". There are: ${[...box.keys()].join(', ')}.`)
  const args = argumentsOf(call.arguments)
  if (!args) {
    const sent = cutText(JSON.stringify(call.arguments), MOST_SHOWN)
    return failed(`The arguments of ${call.name} are no JSON object: ${sent}\nCall it again with an object.`)
  }
  try {
    return outcomeOf(call.name, await abortable(async () => tool.run(args, options), options.signal))
  } catch (error) {
    options.signal?.throwIfAborted()
    return failed(`${call.name} failed: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** A tool in JavaScript may give anything. */
function outcomeOf(name: string, answered: unknown): ToolOutcome {
  if (typeof answered === 'string') return { text: bounded(answered), isError: false }
  if (typeof answered !== 'object' || answered === null || !('text' in answered) || typeof answered.text !== 'string') {
    return failed(`${name} gave no text.`)
  }
  return { text: bounded(answered.text), isError: 'isError' in answered && answered.isError === true }
}

function failed(text: string): ToolOutcome {
  return { text: bounded(text), isError: true }
}

function bounded(text: string): string {
  return cutText(keepableText(text), MOST_CHARACTERS)
}
