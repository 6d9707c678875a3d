/** What a value says as text: a list as bullets, an object as bullets with its keys. `undefined`: nothing. Pure. */
import type { Loose } from './loose-json.ts'

/** What only says that a text follows. */
const SAYS_TEXT = /^(?:content|text|markdown|value|string)$/i

export function replyText(value: Loose): string | undefined {
  if (value.is === 'nothing') return undefined
  if (value.is === 'text') return value.text
  if (value.is === 'object') {
    const [[key, only] = ['', undefined], ...more] = value.members
    if (only && more.length === 0 && SAYS_TEXT.test(key)) return replyText(only)
  }
  return bullets(value, '').join('\n')
}

function bullets(value: Loose, indent: string): string[] {
  if (value.is === 'list') return value.items.flatMap((item) => bullet('', item, indent))
  if (value.is === 'object') return value.members.flatMap(([key, member]) => bullet(`${key}:`, member, indent))
  return []
}

function bullet(label: string, value: Loose, indent: string): string[] {
  if (value.is === 'list' || value.is === 'object') {
    // A list in a list has no line of its own.
    return label === '' ? bullets(value, indent) : [`${indent}- ${label}`, ...bullets(value, `${indent}  `)]
  }
  const text = value.is === 'text' ? value.text : ''
  if (label === '' && text === '') return []
  // Models give lists of lines of Markdown, too.
  if (label === '' && /^\s*(?:[-*+#>|]|\d+\.)(?:\s|#)/.test(text)) return [`${indent}${text}`]
  return [`${indent}- ${[label, text].filter((part) => part !== '').join(' ')}`]
}
