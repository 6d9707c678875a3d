/** `undo`: takes back a change of this agent's own; what others did is not its to take back, nor to hear about. */
import { isKeepsakeError, KeepsakeError } from '../../errors.ts'
import type { Memory, Undone } from '../../memory.ts'
import type { EntryHead, JsonValue } from '../../model/entry.ts'
import type { CallOptions } from '../../ports/store.ts'
import { defineTool } from '../define-tool.ts'
import { factLines, factsOf, labelOf } from '../entry-facts.ts'
import { said, whole } from '../parameters.ts'
import type { Tool, ToolResult } from '../tool.ts'
import { warningLines, warningsJson } from '../written.ts'

export function undo(memory: Memory): Tool {
  return defineTool({
    name: 'undo',
    title: 'Undo',
    description:
      "Undo one of your own changes: the newest, or the one whose number a write returned. An undo is a change too; undo its number to redo. Others' changes, external edits and purges can't be undone here.",
    parameters: { change: whole(1, 1_000_000_000, 'The number of a change of yours.') },
    effect: 'writes',
    run: async ({ change }, call) => {
      const options = said({ signal: call.signal })
      return undoneResult(await undoOwn(memory, change, options))
    },
  })
}

async function undoOwn(memory: Memory, change: number | undefined, options: CallOptions): Promise<Undone> {
  const which = change === undefined ? { last: 1 } : { changes: [change] }
  try {
    return await memory.undo({ agent: memory.agent, ...which, ...options })
  } catch (error) {
    throw isKeepsakeError(error) && error.code === 'NOT_FOUND' ? notOwn(change) : inWordsOfTools(error)
  }
}

/** One answer for what is another's and for what never was. */
function notOwn(change: number | undefined): KeepsakeError {
  if (change === undefined) {
    return new KeepsakeError('NOT_FOUND', 'there is no change of yours that is not undone yet', {
      hint: 'To bring back what an undo took: undo with the number of that undo.',
    })
  }
  return new KeepsakeError('NOT_FOUND', `change ${change} is not one of yours`, {
    hint: 'Allowed: the number that one of your own writes gave, or none for your newest.',
  })
}

/** A person is told of options that this tool does not have. */
function inWordsOfTools(error: unknown): unknown {
  if (!isKeepsakeError(error) || error.code !== 'CONFLICT') return error
  const { undoneBy, later, before } = error.data
  if (typeof undoneBy !== 'number' && typeof before !== 'number' && !Array.isArray(later)) return error
  const hint =
    typeof undoneBy === 'number'
      ? `To bring it back: undo with change ${undoneBy}.`
      : typeof before === 'number'
        ? `To undo your change before it: undo with change ${before}.`
        : 'Undo the later ones first if they are yours, or write what you want instead.'
  return new KeepsakeError('CONFLICT', error.message, { hint, cause: error })
}

function undoneResult({ change, undone, entries, warnings }: Undone): ToolResult {
  const numbers = undone.map((logged) => logged.change.number)
  const touched = undone.flatMap((logged) => logged.touched)
  const effects = touched.flatMap(({ id, before, after }): Effect[] => {
    const entry = entries.find((one) => one.id === id) ?? before ?? after
    const effect = before === undefined ? 'removed' : after === undefined ? 'brought back' : 'set back'
    return entry === undefined ? [] : [{ effect, entry }]
  })
  const done = `Undid change ${numbers.join(', ')}: ${effects.map(effectText).join('; ') || 'nothing had to change'}.`
  const back = change === undefined ? [] : [`To take this back: undo with change ${change.number}.`]
  return {
    text: [
      done,
      ...effects.flatMap(({ entry }) => factLines(entry)),
      ...(change === undefined ? [] : [`change: ${change.number}`]),
      ...warningLines(warnings),
      ...back,
    ].join('\n'),
    structured: {
      done: [done, ...back].join(' '),
      undone: numbers,
      ...(change === undefined ? {} : { change: change.number }),
      entries: effects.map(({ effect, entry }): JsonValue => ({ effect, ...factsOf(entry) })),
      ...warningsJson(warnings),
    },
  }
}

interface Effect {
  readonly effect: 'removed' | 'brought back' | 'set back'
  readonly entry: EntryHead
}

function effectText({ effect, entry }: Effect): string {
  if (effect === 'removed') return `${labelOf(entry)} is removed`
  return effect === 'brought back' ? `${labelOf(entry)} is there again` : `${labelOf(entry)} is as it was before`
}
