/** `soul`: reads or rewrites the identity; there only where its owner lets the agent write it. */
import type { Memory } from '../../memory.ts'
import { defineTool } from '../define-tool.ts'
import { EXPECT, identityPage } from '../page.ts'
import { text } from '../parameters.ts'
import type { Tool } from '../tool.ts'

export function soul(memory: Memory): Tool {
  return defineTool({
    name: 'soul',
    title: 'Soul',
    description:
      'Rewrite your identity: who you are and how you speak. Without content: read it with its revision. Only when the user asks for it.',
    parameters: { content: text('The whole new identity.'), expect: EXPECT },
    effect: 'replaces',
    run: (given, call) => identityPage(memory, given, call),
  })
}
