/** `reflect`: reads or rewrites MEMORY.md. */
import type { Memory } from '../../memory.ts'
import { defineTool } from '../define-tool.ts'
import { EXPECT, memoryPage } from '../page.ts'
import { text } from '../parameters.ts'
import type { Tool } from '../tool.ts'

export function reflect(memory: Memory): Tool {
  return defineTool({
    name: 'reflect',
    title: 'Reflect',
    description:
      'Rewrite your MEMORY.md, the curated page that you see in every conversation. Without content: read it with its revision. Read first, then write the whole new text with expect; what you leave out is gone. Use it when something should always be known, or at the end of a session.',
    parameters: { content: text('The whole new MEMORY.md.'), expect: EXPECT },
    effect: 'replaces',
    run: (given, call) => memoryPage(memory, given, call),
  })
}
