/** Whether two values say the same: JSON and bytes; a property that is `undefined` is one that is missing, and order is nothing. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (a instanceof Uint8Array && b instanceof Uint8Array) return areSameBytes(a, b)
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]))
  }
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false
  return differentKey(a, b) === undefined
}

/** The first property that differs. */
export function differentKey(a: object, b: object): string | undefined {
  const [inA, inB] = [new Map(Object.entries(a)), new Map(Object.entries(b))]
  for (const [key, value] of inA) if (!isSame(value, inB.get(key))) return key
  for (const [key, value] of inB) if (value !== undefined && !inA.has(key)) return key
  return undefined
}

export function areSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
}
