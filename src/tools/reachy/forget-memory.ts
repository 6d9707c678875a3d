/** `forget_memory`: by id; what is not there, or is none of these types, is a plain "no". */

import { isKeepsakeError } from '../../errors.ts'
import type { Memory } from '../../memory.ts'
import { isId } from '../../model/id.ts'
import { isMemoryType } from '../../model/memory-types.ts'
import { defineTool } from '../define-tool.ts'
import { required, text } from '../parameters.ts'
import type { Tool } from '../tool.ts'
import { readOptions, writeOptions } from '../written.ts'
import { jsonResult } from './json-result.ts'

export function forgetMemory(memory: Memory): Tool {
  return defineTool({
    name: 'forget_memory',
    title: 'Forget a memory',
    description: 'Delete a memory by its id, which search_memories and store_memory give. Says whether it was there.',
    parameters: { memory_id: required(text('The id of the memory.')) },
    effect: 'replaces',
    run: async ({ memory_id: id }, call) => {
      const entry = isId(id) ? await memory.get(id, readOptions(call)) : undefined
      if (entry === undefined || !isMemoryType(entry.kind)) return jsonResult(notFound(id))
      try {
        await memory.forget(id, writeOptions(call))
      } catch (error) {
        // Someone else forgot it a moment before.
        if (!isKeepsakeError(error) || error.code !== 'NOT_FOUND') throw error
        return jsonResult(notFound(id))
      }
      return jsonResult({ success: true, id })
    },
  })
}

function notFound(id: string): { readonly success: false; readonly id: string; readonly reason: string } {
  return { success: false, id, reason: 'not found' }
}
