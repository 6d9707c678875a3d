/** The text of an entry: kept byte for byte, the line ends at its very end apart. */
import { InvalidError } from '../errors.ts'

export function normalizeContent(value: unknown, field = 'content'): string {
  const content = normalizeText(value, field)
  if (content.trim() === '') throw new InvalidError(field, 'is empty', 'text that is not blank')
  return content
}

/** As content, but may be blank: what `reflect` writes when it is told to erase. */
export function normalizeText(value: unknown, field: string): string {
  if (typeof value !== 'string') throw new InvalidError(field, 'is not text', 'text')
  if (value.includes('\0')) throw new InvalidError(field, 'holds a NUL character', 'text without NUL')
  if (!value.isWellFormed()) throw new InvalidError(field, 'holds broken Unicode', 'well-formed text')
  return stripFinalNewlines(value)
}

/** A text as an entry can keep it: for what others wrote, where the rest of it counts more than a character that is none. */
export function keepableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}

/** One line of text about an entry. */
export function normalizeDescription(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = normalizeText(value, 'description').replace(/[\r\n]+/g, ' ')
  return text.normalize('NFC').trim()
}

export function stripFinalNewlines(text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--
  return text.slice(0, end)
}
