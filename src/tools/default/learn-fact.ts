/** `learn_fact`: reads or writes a topic of the world. */
import type { Memory } from '../../memory.ts'
import { defineTool } from '../define-tool.ts'
import { EXPECT, topicPage } from '../page.ts'
import { required, text } from '../parameters.ts'
import type { Tool } from '../tool.ts'

export function learnFact(memory: Memory): Tool {
  return defineTool({
    name: 'learn_fact',
    title: 'Learn a fact',
    description:
      'Write what is true for everyone: a topic that all agents of this workspace share, such as people or systems. Replaces the whole topic. Without content: read it with its revision; do so before you rewrite one, and write with expect.',
    parameters: {
      topic: required(text('The name of the topic.')),
      content: text('The whole new text of the topic.'),
      expect: EXPECT,
    },
    effect: 'replaces',
    run: ({ topic, ...given }, call) => topicPage(memory, topic, given, call),
  })
}
