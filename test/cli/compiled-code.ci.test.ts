/** The code that a call leaves for the next one: it is used, it is never wrong, and it is never missed. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

let folder: string
let program: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-compiled-'))
  program = join(folder, 'dist/cli')
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  spawnSync(process.execPath, [join(ROOT, 'dist/cli/main.js'), 'init', '--workspace', join(folder, 'ws')])
})
beforeEach(() => {
  rmSync(program, { recursive: true, force: true })
  cpSync(join(ROOT, 'dist/cli'), program, { recursive: true })
  rmSync(compiled(), { recursive: true, force: true })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function flipped(bytes: Buffer): Buffer {
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 0x10
  return bytes
}

const compiled = (): string => join(program, 'compiled')

function list(): string {
  const args = [join(program, 'main.js'), 'list', '--workspace', join(folder, 'ws')]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

function hook(event: object): void {
  const args = [join(program, 'main.js'), 'hook', 'claude', '--workspace', join(folder, 'ws')]
  const { status } = spawnSync(process.execPath, args, { cwd: folder, input: JSON.stringify(event) })
  expect(status).toBe(0)
}

function theFile(): string {
  const names = readdirSync(compiled())
  expect(names).toHaveLength(1)
  return join(compiled(), names[0] ?? '')
}

it('is taken by the next call, which leaves it as it is', () => {
  const first = list()
  const { ino } = statSync(theFile())
  expect(list()).toBe(first)
  // Had V8 refused it, the call would have made it anew.
  expect(statSync(theFile()).ino).toBe(ino)
})

it('is made anew where the next call had much to compile besides, and then left as it is', () => {
  hook({ hook_event_name: 'Nonsense' })
  const { ino, size } = statSync(theFile())
  hook({ hook_event_name: 'SessionStart', session_id: 's' })
  const grown = statSync(theFile())
  expect(grown.ino).not.toBe(ino)
  expect(grown.size).toBeGreaterThan(size * 1.05)
  hook({ hook_event_name: 'SessionStart', session_id: 's' })
  const left = statSync(theFile())
  expect(left.ino).toBe(grown.ino)
  // When it is looked at again.
  expect(left.mtimeMs).toBeGreaterThan(grown.mtimeMs)
  hook({ hook_event_name: 'Nonsense' })
  expect(statSync(theFile()).ino).toBe(grown.ino)
})

it.each([
  ['a bit that flipped', flipped],
  ['an end that is missing', (bytes: Buffer) => bytes.subarray(0, -100)],
  ['nothing in it', () => Buffer.alloc(0)],
])('is made anew where it has %s', (_, damage) => {
  const first = list()
  const damaged = Buffer.from(damage(readFileSync(theFile())))
  writeFileSync(theFile(), damaged)
  expect(list()).toBe(first)
  expect(readFileSync(theFile()).equals(damaged)).toBe(false)
})

it('is not taken for another text of the same length', () => {
  expect(list()).toContain('Nothing is there.')
  const file = join(program, 'chunk.js')
  writeFileSync(file, readFileSync(file, 'latin1').replace('Nothing is there.', 'There is nothing.'), 'latin1')
  expect(list()).toContain('There is nothing.')
})

it('can be written by nobody else, and is not taken where it can', () => {
  const chunk = join(program, 'chunk.js')
  const text = readFileSync(chunk)
  writeFileSync(chunk, text.toString('latin1').replace('Nothing is there.', 'There is nothing.'), 'latin1')
  const args = [join(program, 'main.js'), 'list', '--workspace', join(folder, 'ws')]
  spawnSync('sh', ['-c', 'umask 000; exec "$@"', 'sh', process.execPath, ...args], { cwd: folder })
  expect([statSync(compiled()).mode & 0o777, statSync(theFile()).mode & 0o777]).toEqual([0o755, 0o644])
  const code = readFileSync(theFile()).subarray(0, -4)
  writeFileSync(chunk, text)
  // Other code, as someone would plant it who can work out a checksum.
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32LE(crc32(code, crc32(text)))
  const planted = Buffer.concat([code, checksum])
  writeFileSync(theFile(), planted)
  expect(list()).toContain('There is nothing.')
  chmodSync(theFile(), 0o666)
  expect(list()).toContain('Nothing is there.')
  writeFileSync(theFile(), planted)
  chmodSync(compiled(), 0o777)
  expect(list()).toContain('Nothing is there.')
})

it('is done without where it cannot be written', () => {
  writeFileSync(compiled(), 'in the way')
  expect(list()).toBe(list())
  expect(readFileSync(compiled(), 'utf8')).toBe('in the way')
})

it('is not kept for a command that failed', () => {
  const { status } = spawnSync(process.execPath, [join(program, 'main.js'), 'list', '--kind', 'nonsense'], {
    cwd: folder,
  })
  expect(status).not.toBe(0)
  expect(() => readdirSync(compiled())).toThrow('ENOENT')
})
