/**
 * A healthy workspace with something of every kind in it, to be hurt by hand and looked at. Real files, removed
 * afterwards.
 */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AddOperation } from '../../../src/model/operation.ts'
import type { Examination, Mending } from '../../../src/stores/disk/doctor/examination.ts'
import {
  examineFolder,
  type FilesystemStore,
  type FilesystemStoreOptions,
  filesystemStore,
} from '../../../src/stores/filesystem/store.ts'
import { afterThisFile } from '../../clean-up.ts'

const AGENT = { scope: 'main' } as const

export const ADDITIONS: readonly AddOperation[] = [
  { op: 'add', scope: 'world', kind: 'topic', name: 'Staging server', content: 'Its name is heron.' },
  { op: 'add', ...AGENT, kind: 'memory', content: 'I like short answers.' },
  { op: 'add', ...AGENT, kind: 'identity', content: 'I am a gardener.' },
  { op: 'add', ...AGENT, kind: 'note', name: 'Deploys', content: 'Run make ship.', aliases: ['shipping'] },
  { op: 'add', ...AGENT, kind: 'fact', name: 'Port', content: 'It listens on 8080.' },
  { op: 'add', ...AGENT, kind: 'archive', name: 'First week', content: 'We met.' },
  { op: 'add', ...AGENT, kind: 'experience', content: 'The build was red.' },
  { op: 'add', ...AGENT, kind: 'experience', content: 'The build is green again.' },
  { op: 'add', ...AGENT, kind: 'history', content: 'October.', createdAt: '2026-10-03T10:00:00.000Z' },
  { op: 'add', ...AGENT, kind: 'history', content: 'November.', createdAt: '2026-11-03T10:00:00.000Z' },
  { op: 'add', ...AGENT, kind: 'conversation', content: 'Hello.' },
  { op: 'add', ...AGENT, kind: 'context', key: 'branch', content: 'main' },
]

export class Ward {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'keepsake-doctor-'))
  readonly root: string = join(this.folder, 'ws')

  constructor() {
    afterThisFile(() => rmSync(this.folder, { recursive: true, force: true }))
  }

  static async healthy(): Promise<Ward> {
    const ward = new Ward()
    const store = ward.open()
    await store.apply({ operations: ADDITIONS.slice(0, 6), origin: { by: 'agent', agent: 'main' } })
    for (const operation of ADDITIONS.slice(6)) {
      await store.apply({ operations: [operation], origin: { by: 'agent', agent: 'main' } })
    }
    await store.sessions.append('main', 'chat', [{ role: 'user', text: 'hello' }])
    await store.sessions.append('main', 'chat', [{ role: 'assistant', text: 'hello to you' }])
    const lease = await store.lease('condense')
    await lease?.release()
    await store.close()
    return ward
  }

  open(options: Partial<FilesystemStoreOptions> = {}): FilesystemStore {
    return filesystemStore({ root: this.root, timezone: 'UTC', lockWaitMs: 2000, ...options })
  }

  examine(options: Partial<FilesystemStoreOptions> = {}): Promise<Examination> {
    return examineFolder({ root: this.root, ...options })
  }

  async mend(options: Partial<FilesystemStoreOptions> = {}): Promise<Mending> {
    const store = filesystemStore({ root: this.root, lockWaitMs: 2000, ...options })
    try {
      return await store.mend()
    } finally {
      await store.close()
    }
  }

  /** All that is remembered, without what tells one reading from another. */
  async texts(): Promise<string[]> {
    const store = filesystemStore({ root: this.root })
    const texts: string[] = []
    for await (const entry of store.scan()) texts.push(`${entry.kind} ${entry.name}: ${entry.content}`)
    for (const { key } of await store.sessions.list('main')) {
      const { records = [] } = (await store.sessions.read('main', key)) ?? {}
      texts.push(...records.map((record) => `session ${key}: ${JSON.stringify(record)}`))
    }
    await store.close()
    return texts.sort()
  }

  path(relative: string): string {
    return join(this.root, relative)
  }

  read(relative: string): string {
    return readFileSync(this.path(relative), 'utf8')
  }

  /** As a person would, but privately. */
  write(relative: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.path(relative)), { recursive: true, mode: 0o700 })
    writeFileSync(this.path(relative), content)
    chmodSync(this.path(relative), 0o600)
  }

  change(relative: string, change: (text: string) => string): void {
    this.write(relative, change(this.read(relative)))
  }

  cut(relative: string, bytes: number): void {
    this.write(relative, readFileSync(this.path(relative)).subarray(0, -bytes))
  }

  /** The only file, or the n-th, of a folder. */
  fileIn(folder: string, index = 0): string {
    const names = readdirSync(this.path(folder)).filter((name) => /\.(md|jsonl)$/.test(name))
    return `${folder}/${names.sort()[index]}`
  }

  get segment(): string {
    return this.fileIn('.state/journal')
  }

  get today(): string {
    return this.fileIn('agents/main/daily')
  }

  /** So that it is no longer taken for a living writer's. */
  age(path: string): void {
    const hourAgo = Date.now() / 1000 - 3600
    utimesSync(path, hourAgo, hourAgo)
  }

  /** Names, modes, times and texts of all there is. */
  hash(): string {
    const hash = createHash('sha256')
    for (const name of readdirSync(this.folder, { recursive: true, encoding: 'utf8' }).sort()) {
      const path = join(this.folder, name)
      const stats = lstatSync(path, { throwIfNoEntry: false })
      if (!stats) continue // a name that is not UTF-8
      const isSmallFile = stats.isFile() && stats.size < 1e8
      const content = isSmallFile ? readFileSync(path) : stats.isSymbolicLink() ? readlinkSync(path) : ''
      hash.update(`${name}\0${stats.mode}\0${stats.mtimeMs}\0${stats.size}\0`).update(content)
    }
    return hash.digest('hex')
  }
}
