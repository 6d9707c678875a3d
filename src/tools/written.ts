/** The result of a write: what was done, to which entry, what it replaced, and the number of the change. */

import type { WriteOptions, Written } from '../memory.ts'
import type { JsonValue } from '../model/entry.ts'
import { isLogged } from '../model/operation.ts'
import type { CallOptions } from '../ports/store.ts'
import { factLines, factsOf, labelOf } from './entry-facts.ts'
import { said } from './parameters.ts'
import type { ToolCall, ToolResult } from './tool.ts'

/** The options of a tool call that every read accepts. */
export function readOptions({ signal }: ToolCall): CallOptions {
  return said({ signal })
}

/** What a call brings along to every write. */
export function writeOptions({ signal, session }: ToolCall): WriteOptions {
  return said({ signal, session })
}

/** `done`: a sentence; where nothing had to be done, that is said instead. */
export function writtenResult(written: Written, done: string, more: readonly string[] = []): ToolResult {
  const { entry, change, replaced, warnings } = written
  const sentence = change === undefined ? `Unchanged: ${labelOf(entry)} is already like this.` : done
  return {
    text: [
      sentence,
      ...factLines(entry, replaced),
      ...(!isLogged(change) ? [] : [`change: ${change.number}`]),
      ...warningLines(warnings),
      ...more,
    ].join('\n'),
    structured: {
      done: [sentence, ...more].join(' '),
      entry: factsOf(entry),
      ...(replaced === undefined ? {} : { replaced }),
      ...(change === undefined ? { unchanged: true } : isLogged(change) ? { change: change.number } : {}),
      ...warningsJson(warnings),
    },
  }
}

export function warningLines(warnings: readonly string[]): string[] {
  return warnings.map((warning) => `warning: ${warning}`)
}

export function warningsJson(warnings: readonly string[]): { readonly [key: string]: JsonValue } {
  return warnings.length === 0 ? {} : { warnings }
}

/** `Rewrote MEMORY.md.` where there was one, else `Wrote MEMORY.md.` */
export function wroteText({ entry, replaced }: Written): string {
  return `${replaced === undefined ? 'Wrote' : 'Rewrote'} ${labelOf(entry)}.`
}

/** As the seeds' tools answer that give a text. */
export function asText({ text, isError }: ToolResult): ToolResult {
  return { text, structured: { result: text }, ...(isError ? { isError } : {}) }
}
