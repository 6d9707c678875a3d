/**
 * `forget`: removes an entry. An own note, fact or log entry goes at once, for undo brings it back; what others share or what is
 * always shown needs a second word; an archive is left alone unless its id is named.
 */

import { KeepsakeError } from '../../errors.ts'
import type { Memory } from '../../memory.ts'
import type { Entry } from '../../model/entry.ts'
import { isId } from '../../model/id.ts'
import type { Kind } from '../../model/kinds.ts'
import { normalizeName } from '../../model/name.ts'
import { isLogged } from '../../model/operation.ts'
import type { CallOptions } from '../../ports/store.ts'
import { defineTool } from '../define-tool.ts'
import { factLines, factsOf, labelOf } from '../entry-facts.ts'
import { flag, required, text } from '../parameters.ts'
import type { Tool, ToolResult } from '../tool.ts'
import { readOptions, writeOptions, writtenResult } from '../written.ts'

const CONFIRMED: readonly Kind[] = ['topic', 'memory', 'identity', 'archive']
const MOST_SHOWN = 300

export function forget(memory: Memory): Tool {
  return defineTool({
    name: 'forget',
    title: 'Forget',
    description:
      'Remove an entry that is wrong or no longer wanted. Your own notes, facts and log entries go at once; a shared topic, MEMORY.md or an archive gives a preview first and goes with confirm. undo brings it back.',
    parameters: {
      ref: required(text('Its name, alias or id; recall gives them.')),
      confirm: flag('true: remove it although it is shared or always shown.'),
    },
    effect: 'replaces',
    hints: { NOT_FOUND: 'Search for it with recall, and use the id from there.' },
    run: async ({ ref, confirm = false }, call) => {
      const entry = await meant(memory, ref, readOptions(call))
      if (needsWord(memory, entry) && !confirm) return preview(entry)
      const written = await memory.forget(entry.id, writeOptions(call))
      const { change } = written
      const back = !isLogged(change) ? [] : [`To bring it back: undo with change ${change.number}.`]
      return writtenResult(written, `Forgot ${labelOf(entry)}.`, back)
    },
  })
}

async function meant(memory: Memory, ref: string, call: CallOptions): Promise<Entry> {
  const name = normalizeName(ref, 'ref')
  const entry =
    (await memory.get(name, call)) ?? (await contextOf(memory, name, call)) ?? (await memory.find(name, call))
  if (entry.kind !== 'archive' || isId(name)) return entry
  throw new KeepsakeError('INVALID', `ref: "${name}" is an archive, which is not forgotten by name`, {
    hint: `If the user wants it gone: ref ${entry.id} with confirm: true.`,
  })
}

/** What `remember` calls the name of a context is its key. */
async function contextOf(memory: Memory, key: string, call: CallOptions): Promise<Entry | undefined> {
  const held = await memory.store.resolveKey(memory.agent, key, call)
  return held && memory.get(held.id, call)
}

/** An identity that may not be written needs no word: the memory refuses it, and says why. */
function needsWord({ settings }: Memory, { kind }: Entry): boolean {
  return CONFIRMED.includes(kind) && (kind !== 'identity' || settings.soulEditable)
}

function preview(entry: Entry): ToolResult {
  const { content } = entry
  const begins = content.length <= MOST_SHOWN ? content : `${content.slice(0, MOST_SHOWN).trimEnd()}…`
  const sentence = `Nothing was removed yet. This would remove ${labelOf(entry)}; to go on, call forget again with ref ${entry.id} and confirm: true.`
  return {
    text: [sentence, ...factLines(entry), '', begins].join('\n'),
    structured: { done: sentence, removed: false, entry: factsOf(entry), begins },
  }
}
