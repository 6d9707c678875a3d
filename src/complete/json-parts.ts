/** Parts of JSON from elsewhere, by what they must be; `undefined` where they are something else. */
import type { JsonValue } from '../model/entry.ts'

export type JsonRecord = { readonly [key: string]: unknown }

export function isRecord(value: unknown): value is JsonRecord {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** `undefined`: it is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A text, or the texts of a list of parts. What is neither (images, thoughts) is left out. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = listOf(content).map(recordOf)
  return parts.map((part) => (isText(part['type']) ? (textOf(part['text']) ?? '') : '')).join('')
}

function isText(type: unknown): boolean {
  return type === undefined || type === 'text' || type === 'output_text'
}

const MOST_LEVELS = 32

/** Whether it can be kept with an entry and written as JSON again by programs that call themselves for each level. */
export function isKeepable(value: unknown, levels: number = MOST_LEVELS): value is JsonValue {
  // JSON has 1e999, which is read as Infinity, which it has no word for.
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === null || typeof value !== 'object') return true
  return levels > 0 && Object.values(value).every((each) => isKeepable(each, levels - 1))
}
