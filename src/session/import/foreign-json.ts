/** JSON that other programs wrote, looked at without trust: every question has an answer, whatever is there. */

export type ForeignRecord = { readonly [key: string]: unknown }

export function isRecord(value: unknown): value is ForeignRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function recordOf(value: unknown): ForeignRecord {
  return isRecord(value) ? value : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
