// A damaged journal, checkpoint or keepsake.yaml: an error that says what to do, or the files win; no text is lost. Damaged
// Markdown is in test/filesystem/damage.test.ts.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../../src/errors.ts'
import type { AddOperation } from '../../src/model/operation.ts'
import { stateDifference } from '../../src/testing/index.ts'
import { seededRandom } from '../../src/testing/random.ts'
import { isNightly, seed } from '../tier.ts'
import { damaged } from './damage.mjs'
import { leaveLockAndLitter } from './pretend.mjs'
import { entriesOf, openAs, scratchFolder } from './workspace.mjs'

const SETTINGS = isNightly ? 300 : 50
const ORIGIN = { by: 'import' } as const

let folder: string
beforeEach(() => {
  folder = scratchFolder('damage')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Of every shape some, each with what its file can hold. */
function manyEntries(): AddOperation[] {
  const main = { op: 'add', scope: 'main' } as const
  const more = { description: 'what: it is', metadata: { tags: ['a', 'b'], n: 1, deep: { x: [null, true] } } }
  const at = (n: number): string => `${2000 + (n % 20)}-0${1 + (n % 9)}-1${n % 9}T10:00:00.000Z`
  return Array.from({ length: 3 }, (_, n): AddOperation[] => [
    { ...main, kind: 'note', name: `Note ${n}`, aliases: [`n${n}`], content: `A note.\n\n# With ${n}\n`, ...more },
    { ...main, kind: 'fact', name: `Fact ${n}`, content: `fact ${n}`, expiresAt: '2040-01-01T00:00:00.000Z' },
    { op: 'add', scope: 'world', kind: 'topic', name: `Topic: ${n}`, content: `topic ${n}`, ...more },
    { ...main, kind: 'experience', content: `day ${n}`, createdAt: at(n), ...more },
    { ...main, kind: 'experience', content: `same day ${n}`, createdAt: at(n) },
    { ...main, kind: 'conversation', content: `user: ${n}`, createdAt: at(n) },
    { ...main, kind: 'context', key: `key ${n}`, content: `value ${n}`, createdAt: at(n) },
    { ...main, kind: 'history', content: `history ${n}`, createdAt: at(n) },
    { op: 'add', scope: `agent-${n}`, kind: 'memory', content: `memory of ${n}\n---\nx` },
    { op: 'add', scope: `agent-${n}`, kind: 'identity', content: `I am ${n}` },
  ]).flat()
}

function bytesAt(root: string, path: string): Buffer {
  return readFileSync(join(root, path))
}

function firstSegment(root: string): string {
  const folder = join(root, '.state/journal')
  return join(folder, readdirSync(folder).sort()[0] ?? '')
}

describe(`a damaged state folder (seed ${seed})`, () => {
  it.each([
    ['journal', isNightly ? 80 : 12],
    ['checkpoint', isNightly ? 50 : 8],
  ])('loses no text: %s', { timeout: 120_000 }, async (file, rounds) => {
    const random = seededRandom(seed)
    let refused = 0
    for (let round = 0; round < rounds; round++) {
      const root = join(folder, String(round))
      const first = await openAs(1, root)
      await first.store.apply({ operations: manyEntries(), origin: ORIGIN })
      await first.memory.remember('one', { name: 'Last' })
      if (random.chance(4)) await first.memory.learnFact('Long', 'x'.repeat(1_100_000)) // brings a checkpoint
      await first.memory.remember('two', { name: 'Last' })
      await first.memory.remember('line')
      const before = await entriesOf(first.store)
      await first.store.close()
      const path = file === 'journal' ? firstSegment(root) : join(root, '.state', file)
      const bytes = damaged(readFileSync(path), random)
      writeFileSync(path, bytes)

      try {
        await works(root, before)
      } catch (error) {
        if (!isKeepsakeError(error)) throw new Error(`seed ${seed}, round ${round}`, { cause: error })
        expect(['FOREIGN', 'NEWER', 'DAMAGED']).toContain(error.code)
        expect(error.hint).toBeTruthy()
        expect(readFileSync(path).equals(bytes), `${file} was changed, seed ${seed}, round ${round}`).toBe(true)
        rmSync(join(root, '.state'), { recursive: true })
        await works(root, before)
        refused++
      }
      rmSync(root, { recursive: true })
    }
    console.log(`damage: ${file} ${rounds} times, ${refused} refused, seed ${seed}`)
  })

  /** All is there, writing goes on, and what is written survives a crash as ever. */
  async function works(root: string, before: readonly unknown[]): Promise<void> {
    const opened = await openAs(2, root)
    const expected = before as Parameters<typeof stateDifference>[1]
    expect(stateDifference(await entriesOf(opened.store), expected, { withoutState: true })).toBeUndefined()
    const { entry } = await opened.memory.remember('early', { name: 'Crash' })
    const early = bytesAt(root, entry.path ?? '')
    await opened.memory.remember('late', { name: 'Crash' })
    await opened.store.close()
    writeFileSync(join(root, entry.path ?? ''), early)
    leaveLockAndLitter(root)
    const after = await openAs(3, root)
    expect((await after.memory.get('Crash'))?.content).toBe('late')
    await after.memory.remember('one more')
    const rest = (await entriesOf(after.store)).filter(
      ({ name, content }) => name !== 'Crash' && content !== 'one more',
    )
    expect(stateDifference(rest, expected, { withoutState: true })).toBeUndefined()
    await after.store.close()
  }

  it(`refuses a keepsake.yaml that is not ours, newer or broken, or goes on: ${SETTINGS} times`, {
    timeout: 60_000,
  }, async () => {
    const random = seededRandom(seed)
    const root = join(folder, 'workspace')
    const opened = await openAs(1, root)
    await opened.memory.remember('kept', { name: 'Kept' })
    await opened.store.close()
    const whole = bytesAt(root, 'keepsake.yaml')
    for (let round = 0; round < SETTINGS; round++) {
      const bytes = damaged(whole, random)
      writeFileSync(join(root, 'keepsake.yaml'), bytes)
      try {
        const again = await openAs(2, root, { timezone: undefined as never })
        await entriesOf(again.store)
        await again.store.close()
      } catch (error) {
        if (!isKeepsakeError(error)) throw new Error(`seed ${seed}, round ${round}: ${bytes}`, { cause: error })
        expect(['FOREIGN', 'NEWER', 'DAMAGED', 'INVALID']).toContain(error.code)
        expect(error.hint).toBeTruthy()
      }
      expect(bytesAt(root, 'keepsake.yaml').equals(bytes)).toBe(true)
    }
    writeFileSync(join(root, 'keepsake.yaml'), whole)
    const after = await openAs(3, root)
    expect((await after.memory.get('Kept'))?.content).toBe('kept')
    await after.store.close()
    expect(readdirSync(join(root, '.state/journal'))).toHaveLength(1)
  })
})
