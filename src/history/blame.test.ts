import { describe, expect, it } from 'vitest'
import type { Entry } from '../model/entry.ts'
import type { Change } from '../model/operation.ts'
import { memoryStore } from '../stores/memory.ts'
import { blameLines, blameOf, type Version } from './blame.ts'

function change(number: number, reverts?: readonly number[]): Change {
  return {
    number,
    at: `2026-11-15T10:00:0${number}.000Z`,
    origin: { by: reverts ? 'undo' : 'agent' },
    operations: [],
    ...(reverts ? { reverts } : {}),
  }
}

function version(number: number, content: string | undefined, reverts?: readonly number[]): Version {
  return { change: change(number, reverts), content }
}

function blamed(versions: readonly Version[]): string[] {
  return blameLines(versions).map((line) => `${line.change?.number ?? '?'} ${line.text}`)
}

describe('blame', () => {
  it('names the change that brought each line', () => {
    expect(blamed([version(1, 'a\nb'), version(3, 'a\nx\nb'), version(4, 'a\nx\nc')])).toEqual(['1 a', '3 x', '4 c'])
  })

  it('names nobody for what is older than the history', () => {
    expect(blamed([{ content: 'a\nb' }, version(7, 'a\nc')])).toEqual(['? a', '7 c'])
  })

  it('keeps lines through a change of something else', () => {
    expect(blamed([version(1, 'a'), version(2, 'a')])).toEqual(['1 a'])
  })

  it('gives what an undo restores to whom it belonged to', () => {
    const versions = [version(1, 'a\nb'), version(2, 'a\nb\nc'), version(3, 'x'), version(4, 'a\nb\nc', [3])]
    expect(blamed(versions)).toEqual(['1 a', '1 b', '2 c'])
  })

  it('gives it back as it was before the first of several that are undone', () => {
    const versions = [version(1, 'a'), version(2, 'b'), version(3, 'b\na'), version(5, 'a', [2, 3])]
    expect(blamed(versions)).toEqual(['1 a'])
  })

  it('follows an undo of an undo', () => {
    const versions = [version(1, 'a'), version(2, 'b'), version(3, 'a', [2]), version(4, 'b', [3])]
    expect(blamed(versions)).toEqual(['2 b'])
  })

  it('gives a line that came with an undo and was not there before to the undo', () => {
    expect(blamed([version(1, 'a'), version(2, 'b'), version(3, 'a\nmore', [2])])).toEqual(['1 a', '3 more'])
  })

  it('begins anew after a removal, unless that is undone', () => {
    expect(blamed([version(1, 'a'), version(2, undefined), version(3, 'a')])).toEqual(['3 a'])
    expect(blamed([version(1, 'a'), version(2, undefined), version(3, 'a', [2])])).toEqual(['1 a'])
  })

  it('has nothing to say of nothing', () => {
    expect(blameLines([])).toEqual([])
    expect(blamed([version(1, 'a'), version(2, '')])).toEqual([])
  })
})

describe('blame of an entry', () => {
  it('reads its versions out of the history', async () => {
    const store = memoryStore()
    const origin = { by: 'agent', agent: 'main' } as const
    const add = { op: 'add', scope: 'main', kind: 'note', name: 'n', content: 'a\nb' } as const
    const { entries } = await store.apply({ operations: [add, { ...add, name: 'other' }], origin })
    const id = entries[0]?.id ?? ''
    await store.apply({ operations: [{ op: 'write', id, content: 'a\nc' }], origin })
    const entry = (await store.get(id)) as Entry // it was just written
    const versions = await store.versions([id])
    const [first, ...later] = versions
    const linesOf = (of: Entry, known = versions, scopes = ['main']): unknown[] =>
      blameOf(of, known, scopes).lines.map((line) => [line.text, line.change?.number])
    expect(linesOf(entry)).toEqual([
      ['a', 1],
      ['c', 2],
    ])
    const before = { id, entry: first?.entry as Entry } // the addition
    expect(linesOf(entry, [before, ...later])).toEqual([
      ['a', undefined],
      ['c', 2],
    ])
    expect(linesOf({ ...entry, content: 'a\nc\nby hand' })).toEqual([
      ['a', 1],
      ['c', 2],
      ['by hand', undefined],
    ])
    expect(linesOf(entry, versions, ['other'])).toEqual([
      ['a', undefined],
      ['c', undefined],
    ])
  })
})
