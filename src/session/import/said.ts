/** What of a message was said by the one whose message it is: without our own blocks, and a person's without the client's. */
import { keepableText } from '../../model/content.ts'
import { withoutInjected } from '../../model/injected.ts'
import { withoutClientBlocks } from './client-blocks.ts'

/** Results of tools are whole files and logs; what they were is enough to know. */
const MOST_RESULT_CHARACTERS = 2000

const MOST_NAME_CHARACTERS = 200

/** What a model wrote, a paragraph each. Clients write nothing into that: a tag in it is the model's own word. */
export function answered(texts: readonly string[]): string {
  return paragraphs(texts.map(said))
}

/** What a person wrote, a paragraph each. Empty where nothing is left. */
export function typed(texts: readonly string[]): string {
  return paragraphs(texts.map((text) => said(withoutClientBlocks(text))))
}

export function resultText(text: string): string {
  const result = said(withoutClientBlocks(text))
  if (result.length <= MOST_RESULT_CHARACTERS) return result
  const kept = keepableText(result.slice(0, MOST_RESULT_CHARACTERS)).replace(/\ufffd$/, '')
  return `${kept}\n… (${result.length - kept.length} more characters left out)`
}

export function toolName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const name = keepableText(value.slice(0, MOST_NAME_CHARACTERS)).trim()
  return name === '' ? undefined : name
}

function said(text: string): string {
  return keepableText(withoutInjected(text)).trim()
}

function paragraphs(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n')
}
