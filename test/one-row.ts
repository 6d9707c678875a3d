/**
 * Layers above the stores are tested in full on the store in RAM. On any other store one test shows that layer and store fit
 * together; the contract suite (src/testing) shows that all stores behave the same. The nightly run has every test on every store.
 */
import { afterAll, expect, it, type TestAPI } from 'vitest'
import { isNightly } from './tier.ts'

const IN_RAM: readonly string[] = ['memory', 'RAM']

/** `it` for one store: every test on the store in RAM, only the named ones on the others. */
export function itOn(store: string, ...rows: readonly string[]): TestAPI {
  if (isNightly || IN_RAM.includes(store)) return it
  const missing = new Set(rows)
  const only =
    (test: (name: string, ...rest: never[]) => void) =>
    (name: string, ...rest: never[]): void => {
      if (!rows.includes(name)) return
      missing.delete(name)
      test(name, ...rest)
    }
  afterAll(() => expect([...missing], 'rows that no test has').toEqual([]))
  const each = (cases: never): unknown => only(it.each(cases))
  // Callers use only `it` and `it.each`.
  return Object.assign(only(it), { each }) as unknown as TestAPI
}
