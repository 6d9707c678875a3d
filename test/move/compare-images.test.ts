import { describe, expect, it } from 'vitest'
import { compareImages, sessionId } from '../../src/move/compare-images.ts'
import type { KeptFile } from '../../src/ports/store.ts'
import { type CollectedImage, imageFrom } from '../../src/testing/images.ts'
import { altered, sampleImage } from './sample.ts'

const image = await sampleImage()

describe('two images of the same memory', () => {
  it('do not differ', async () => {
    expect(await compareImages(imageFrom(image), imageFrom(await sampleAgain()))).toEqual([])
  })

  it('may be told in another order, with paths, in another epoch', async () => {
    const other = imageFrom({
      ...image,
      entries: image.entries.map((entry) => ({ ...entry, path: `entries/${entry.id}.md` })).reverse(),
      sessions: [...image.sessions].reverse(),
    })
    const cursor = { ...other.cursor, epoch: 'another' }
    expect(await compareImages(imageFrom(image), { ...other, cursor })).toEqual([])
  })
})

/** A copy of all of it: equality is not identity. */
async function sampleAgain(): Promise<CollectedImage> {
  return structuredClone(image)
}

describe('a difference is told of', () => {
  const [first, ...rest] = image.entries
  const [session, ...otherSessions] = image.sessions
  const [change, ...otherChanges] = image.changes
  if (!first || !session || !change) throw new Error('the sample has all of these')
  const cut = { ...session, text: session.text.slice(0, -3) }
  const file: KeptFile = { path: 'x.md', bytes: new Uint8Array([1]), entries: [] }

  it.each<[string, Partial<CollectedImage>, RegExp]>([
    ['a setting', { settings: { ...image.settings, timezone: 'Asia/Kolkata' } }, /setting "timezone" differs/],
    ['the number', { number: image.number + 1 }, /last change is 3 here and 4 there/],
    ['the next seq', { nextSeq: image.nextSeq + 1 }, /next seq/],
    ['a text', { entries: [{ ...first, content: 'x' }, ...rest] }, /the note "Deploys" of main differs in its content/],
    ['a time', { entries: [{ ...first, createdAt: '2020-01-01T00:00:00.000Z' }, ...rest] }, /differs in its createdAt/],
    ['metadata', { entries: [{ ...first, metadata: { n: 1, m: null } }, ...rest] }, /differs in its metadata/],
    ['the order of aliases', { entries: [{ ...first, aliases: [] }, ...rest] }, /differs in its aliases/],
    ['a seq', { entries: [{ ...first, seq: 99 }, ...rest] }, /differs in its seq/],
    ['an entry less', { entries: rest }, /"Deploys" of main is only here/],
    ['an entry more', { entries: [...image.entries, { ...first, id: 'more' }] }, /is only there/],
    ['where the past begins', { since: '2026-01-01T00:00:00.000Z' }, /known since the beginning here and 2026/],
    ['what was there then', { base: [first] }, /when the past begins differs/],
    ['a change less', { changes: image.changes.slice(0, -1) }, /change 3 and what came after it are only here/],
    ['a change more', { changes: [...image.changes, change] }, /change 1 and what came after it are only there/],
    [
      'who made a change',
      { changes: [{ ...change, change: { ...change.change, origin: { by: 'hand' } } }, ...otherChanges] },
      /change 1 differs/,
    ],
    [
      'what a change did',
      { changes: [{ ...change, touched: change.touched.slice(1) }, ...otherChanges] },
      /change 1 differs/,
    ],
    ['a transcript', { sessions: [cut, ...otherSessions] }, /session "chat" of ada differs/],
    ['a transcript less', { sessions: otherSessions }, /session "chat" of ada is only here/],
    ['a document less', { files: [] }, /directives\/memory.md is only here/],
    ['a document more', { files: [...image.files, file] }, /x.md is only there/],
    ['the bytes of a document', { files: image.files.map((one) => ({ ...one, bytes: new Uint8Array() })) }, /differs/],
  ])('%s', async (_, change, expected) => {
    const differences = await compareImages(imageFrom(image), altered(image, change))
    expect(differences).toEqual([expect.stringMatching(expected)])
  })

  it('at most so many of them', async () => {
    const many = Array.from({ length: 50 }, (_, n) => ({ ...first, id: `id ${n}` }))
    expect(await compareImages(altered(image, { entries: many }), altered(image, { entries: [] }))).toHaveLength(20)
  })

  it('not, where a transcript went on since it was copied, and that is known', async () => {
    const wentOn: string[] = []
    const copied = new Map([[sessionId(cut), cut.text.length]])
    const later = { copied, onWentOn: (label: string) => wentOn.push(label) }
    const compare = (sessions: CollectedImage['sessions']): Promise<readonly string[]> =>
      compareImages(imageFrom(image), altered(image, { sessions }), { later })
    expect(await compare([cut])).toEqual([])
    expect(wentOn).toEqual(['session "chat" of ada', 'session "chat" of main'])
    expect(await compare([])).toEqual(['session "chat" of ada is only here'])
    expect(await compare([session])).toEqual(['session "chat" of ada differs'])
    expect(await compare([cut, ...otherSessions])).toEqual(['session "chat" of main is only there'])
  })

  it('not, where a kept file has an entry that became another: it is written anew', async () => {
    const { id, revision } = first
    const files = (bytes: number, of: string, path = 'entries/deploys.md'): Partial<CollectedImage> => ({
      files: [{ path, bytes: new Uint8Array([bytes]), entries: [{ id, revision: of }] }],
    })
    const compare = (a: Partial<CollectedImage>, b: Partial<CollectedImage>): Promise<readonly string[]> =>
      compareImages(altered(image, a), altered(image, b))
    expect(await compare(files(1, revision), files(2, revision))).toEqual(['the file entries/deploys.md differs'])
    expect(await compare(files(1, 'older'), files(2, revision))).toEqual([])
    expect(await compare(files(1, 'older'), files(2, revision, 'entries/other.md'))).toEqual([])
    expect(await compare(files(1, 'older'), { files: [] })).toEqual([])
    expect(await compare({ files: [] }, files(2, revision))).toEqual(['the file entries/deploys.md is only there'])
  })
})
