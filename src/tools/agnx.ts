/** The four tools of the design that keeps a world, a memory and a log: names, parameters and defaults are its own. */

import { type Memory, MOST_DAYS } from '../memory.ts'
import { beginning } from './default/recall.ts'
import { remembered } from './default/remember.ts'
import { defineTool } from './define-tool.ts'
import { memoryPage, topicPage } from './page.ts'
import { askedFor, required, text, whole } from './parameters.ts'
import type { Tool } from './tool.ts'
import { asText } from './written.ts'

export function agnxTools(memory: Memory): readonly Tool[] {
  return [recall(memory), remember(memory), reflect(memory), learnFact(memory)]
}

function recall(memory: Memory): Tool {
  return defineTool({
    name: 'recall',
    title: 'Recall',
    description:
      'Load memory context: shared world knowledge, your MEMORY.md and the last days of your daily log. Use it at the start of a conversation and whenever you need context.',
    parameters: { days: whole(0, MOST_DAYS, 'Days of the daily log, today included.', 3) },
    effect: 'reads',
    everyday: true,
    run: async ({ days }, call) => asText(await beginning(memory, days, call)),
  })
}

function remember(memory: Memory): Tool {
  return defineTool({
    name: 'remember',
    title: 'Remember',
    description: "Append an experience to today's daily log. Use it after you learned something.",
    parameters: { content: required(text('What to remember.')) },
    effect: 'appends',
    everyday: true,
    run: async ({ content }, call) => asText(await remembered(memory, content, {}, call)),
  })
}

function reflect(memory: Memory): Tool {
  return defineTool({
    name: 'reflect',
    title: 'Reflect',
    description:
      'Rewrite your long-term memory, MEMORY.md, as a whole. Use it at the end of a session to consolidate what you learned.',
    parameters: { content: askedFor(text('The whole new MEMORY.md.')) },
    effect: 'replaces',
    run: async (given, call) => asText(await memoryPage(memory, given, call)),
  })
}

function learnFact(memory: Memory): Tool {
  return defineTool({
    name: 'learn_fact',
    title: 'Learn a fact',
    description:
      'Write shared world knowledge for a topic; it replaces what the topic said. Use it when you discover a fact that all agents should know.',
    parameters: {
      topic: required(text('The name of the topic.')),
      content: askedFor(text('The whole new text of the topic.')),
    },
    effect: 'replaces',
    run: async ({ topic, content }, call) => asText(await topicPage(memory, topic, { content }, call)),
  })
}
