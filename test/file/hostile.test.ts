/**
 * Files that no program of ours wrote, with right checksums: every value in every line of JSON replaced, one a file. Whoever reads such
 * a file is answered, or told that it is damaged; nobody meets an error of the language, and nothing is written outside.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeFrame, type FrameType } from '../../src/codec/one-file/frame.ts'
import { encodeHeader, HEADER_BYTES } from '../../src/codec/one-file/header.ts'
import { settingsInFile } from '../../src/config/settings-in-file.ts'
import { isKeepsakeError } from '../../src/errors.ts'
import { moveMemory } from '../../src/move/move-memory.ts'
import { examineFile } from '../../src/stores/file/doctor/examine.ts'
import { mendFile } from '../../src/stores/file/doctor/mend.ts'
import { fileStore } from '../../src/stores/file/store.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { apply, experience, note, scanned } from '../../src/testing/requests.ts'
import { isNightly } from '../tier.ts'

interface Frame {
  readonly type: FrameType
  readonly payload: Buffer
}

let folder: string
let frames: readonly Frame[]
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-hostile-'))
  const path = join(folder, 'made.keepsake')
  const store = fileStore({ path })
  await apply(store, [note('one', { aliases: ['uno'] }), experience('two')])
  await apply(store, [{ op: 'add', scope: 'main', kind: 'identity', name: 'IDENTITY', content: 'I am.\n' }])
  await store.sessions.append('main', 'chat', [{ type: 'turn' }])
  await store.fold()
  await apply(store, [note('three')])
  await store.sessions.append('main', 'chat', [{ type: 'turn' }])
  await store.close()
  frames = framesOf(readFileSync(path))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function framesOf(bytes: Buffer): Frame[] {
  const found: Frame[] = []
  for (let at = HEADER_BYTES; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4)
    const type = bytes.toString('latin1', at, at + 4) as FrameType
    found.push({ type, payload: bytes.subarray(at + 16, at + 16 + length) })
    at += 16 + Math.ceil(length / 8) * 8
  }
  return found
}

function written(name: string, given: readonly Frame[]): string {
  const parts: Uint8Array[] = []
  let [end, catalogue] = [HEADER_BYTES, 0]
  for (const { type, payload } of given) {
    if (type === 'cata') catalogue = end
    const frame = encodeFrame(type, [payload], crc32)
    parts.push(frame)
    end += frame.length
  }
  const header = encodeHeader({ generation: new Uint8Array(16), catalogue }, { end, number: 3 }, crc32)
  const path = join(folder, name)
  writeFileSync(path, Buffer.concat([header, ...parts]))
  return path
}

function withLine({ type, payload }: Frame, value: unknown): Frame {
  const json = Buffer.from(JSON.stringify(value))
  const blanks = type === 'cata' ? (8 - ((json.length + 1) % 8)) % 8 : 0
  const rest = payload.subarray(payload.indexOf(10) + 1)
  return { type, payload: Buffer.concat([json, Buffer.alloc(blanks, 32), Buffer.from('\n'), rest]) }
}

function lineOf({ payload }: Frame): unknown {
  return JSON.parse(payload.toString('utf8', 0, payload.indexOf(10)))
}

const BAD = [null, -1, '../../x', []]

function* replaced(value: unknown): Generator<unknown> {
  yield* BAD
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    for (const other of replaced(inner)) {
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other }
    }
  }
}

/** Every file that differs from ours in one value. */
function* hostile(): Generator<readonly Frame[]> {
  for (const [index, frame] of frames.entries()) {
    if (frame.type === 'derv') continue
    for (const value of replaced(lineOf(frame))) yield frames.with(index, withLine(frame, value))
    yield frames.with(index, { type: frame.type, payload: Buffer.from('no line') })
    yield frames.with(index, { type: frame.type, payload: Buffer.from('\xff\n', 'latin1') })
  }
  // The rows of the catalogue, which are parsed when they are asked for.
  const catalogue = frames.findIndex(({ type }) => type === 'cata')
  const payload = frames[catalogue]?.payload ?? Buffer.alloc(0)
  for (const [from, to] of [
    ['"note"', '"nope"'],
    ['["uno"]', '"uno12"'],
    ['"main"', '12345.'],
    ['[["main"', '{"xmain"'],
    ['[[', '{{'],
  ] as const) {
    const text = payload.toString('latin1')
    const at = text.lastIndexOf(from)
    const changed = text.slice(0, at) + to + text.slice(at + from.length)
    yield frames.with(catalogue, { type: 'cata', payload: Buffer.from(changed, 'latin1') })
  }
}

async function told(run: () => unknown): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
  }
}

async function readAll(path: string): Promise<void> {
  const store = fileStore({ path })
  try {
    await told(() => store.heads())
    await told(() => store.resolve('main', 'one'))
    await told(() => scanned(store))
    await told(() => store.sessions.list('main'))
    await told(() => store.changes())
    await told(async () => [...(await store.history()).changes])
    await told(async () => {
      const image = await store.image()
      for (const items of [image.entries(), image.sessions(), image.files()]) for await (const _ of items);
    })
  } finally {
    await store.close()
  }
}

describe('a file that somebody made', () => {
  it('is read as it is or called damaged, by the store and by doctor, whatever its lines say', async () => {
    let damaged = 0
    for (const given of [...hostile()].filter((_, n) => isNightly || n % 4 === 0)) {
      const path = written('hostile.keepsake', given)
      await told(() => settingsInFile(path))
      await told(() => readAll(path))
      if (examineFile(path).findings.some(({ severity }) => severity === 'damage')) damaged++
    }
    expect(damaged).toBeGreaterThan(isNightly ? 100 : 25)
  }, 60_000)

  it('is saved as far as it is ours', async () => {
    const index = frames.findLastIndex(({ type }) => type === 'chng')
    const path = written('saved.keepsake', frames.with(index, withLine(frames[index] as Frame, { number: 3 })))
    expect(() => fileStore({ path })).toThrow(/saved\.keepsake.*not one that Keepsake writes \(byte \d+\)/)
    const { backup, examination } = await mendFile(path)
    expect(backup).toMatch(/damaged/)
    expect(examination.findings).toEqual([])
    const store = fileStore({ path })
    expect((await store.heads()).map(({ name }) => name)).toEqual(['one', null, 'IDENTITY'])
    await store.close()
  })

  it.each([
    ['identityFile', '/etc/passwd.md'],
    ['identityFile', '../../../out.md'],
    ['layout', 'other'],
    ['id', 5],
    ['retentionDays', -1],
  ])('is not opened with the setting %s: %s', (key, value) => {
    const sett = frames[0] as Frame
    const path = written(
      'settings.keepsake',
      frames.with(0, withLine(sett, { ...(lineOf(sett) as object), [key]: value })),
    )
    expect(() => fileStore({ path })).toThrow(/in its settings .*\(byte 128\)/)
    expect(examineFile(path).findings.map(({ code }) => code)).toContain('lost-settings')
  })

  it('writes nothing outside of the folder that it is moved to, and nothing of it stays when it is refused', async () => {
    const source = fileStore({ path: written('whole.keepsake', frames) })
    const places = join(folder, 'places')
    mkdirSync(places)
    const image = await source.image()
    for (const identityFile of ['../../../../out.md', join(places, 'out.md'), '.state/x.md']) {
      const to = filesystemStore({ root: join(places, 'deep/er/copy') })
      const handed = { ...source, image: async () => ({ ...image, settings: { ...image.settings, identityFile } }) }
      await expect(moveMemory(handed, to)).rejects.toThrow(/identity_file/)
      await to.close()
    }
    const to = filesystemStore({ root: join(places, 'copy') })
    async function* sessions() {
      yield { scope: '../out', key: 'k', text: Buffer.from('{}\n') }
    }
    await expect(to.adopt({ ...image, sessions })).rejects.toThrow(/no place in a folder/)
    await to.close()
    await source.close()
    expect(readdirSync(places, { recursive: true }).filter((name) => !/^deep/.test(String(name)))).toEqual([])
    expect(existsSync(join(folder, 'out.md'))).toBe(false)
  })
})
