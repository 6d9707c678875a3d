/** What the scripted model says when nobody scripts it: simple rules, the first that fits. */
import { consolidationReply, isConsolidation } from './consolidation-reply.mjs'

export function sensibleReply({ messages, tools: offered, mayCall }) {
  const tools = mayCall ? offered : []
  const last = messages.at(-1) ?? { role: 'user', content: '' }
  if (isConsolidation(last.content)) return { text: consolidationReply(last.content) }
  if (last.role === 'tool') return { text: afterTool(last.content) }
  const words = wordsOf(last.content)
  const wish = /\bremember(?: that)?:?\s+(.+)/is.exec(words)?.[1]
  if (wish && tools.includes('remember'))
    return { toolCalls: [{ name: 'remember', arguments: { content: sentence(wish) } }] }
  if (words.endsWith('?') && tools.includes('recall'))
    return { toolCalls: [{ name: 'recall', arguments: { query: words } }] }
  return { text: words === '' ? 'I am listening.' : `You said: ${words}` }
}

/** Without the blocks that stand before what the user typed. */
function wordsOf(content) {
  return content.replace(/<(recall|memory)\b[\s\S]*?<\/\1>/g, '').trim()
}

function afterTool(result) {
  return `Done. The tool says:\n${result.trim().split('\n').slice(0, 8).join('\n')}`
}

function sentence(text) {
  const trimmed = text.trim()
  return trimmed.charAt(0).toUpperCase() + trimmed.slice(1)
}
