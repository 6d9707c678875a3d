/**
 * The files of another program's memory as texts. They are not trusted: sizes, depth and numbers have bounds, links are not
 * followed below what the person named, hidden folders are passed over, and nothing but plain files is read.
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { InvalidError, KeepsakeError } from '../errors.ts'
import type { Format } from '../import/formats.ts'
import type { ImportProblem, SourceFile } from '../import/plan.ts'
import { instant } from '../model/time.ts'
import { standardInput } from './text-operand.ts'

export interface ReadFiles {
  readonly files: readonly SourceFile[]
  readonly problems: readonly ImportProblem[]
}

const MB = 1024 * 1024
const MOST_FILE_BYTES = 128 * MB
const MOST_PAGE_BYTES = 4 * MB
const MOST_BYTES = 256 * MB
const MOST_FILES = 50_000
const DEEPEST = 32

const STANDARD_INPUT = '-'
const decoder = new TextDecoder('utf-8', { fatal: true })

/** `called`: as the person named it. */
export async function importFiles({ shape, within }: Format, path: string, called: string): Promise<ReadFiles> {
  if (shape === 'file') return { files: [await oneFile(path, called)], problems: [] }
  if (called === STANDARD_INPUT) throw new InvalidError('PATH', 'standard input is no folder', 'a folder')
  if (!statOf(path, called).isDirectory()) throw new InvalidError('PATH', `${called} is not a folder`, 'a folder')
  const walk = new Walk(path)
  walk.folder('', within)
  return { files: walk.files, problems: walk.problems }
}

async function oneFile(path: string, called: string): Promise<SourceFile> {
  if (called === STANDARD_INPUT) return { path: 'standard input', text: utf8(await standardInput(), 'standard input') }
  const stats = statOf(path, called)
  if (!stats.isFile()) throw new InvalidError('PATH', `${called} is not a file`, 'a file of JSON')
  if (stats.size > MOST_FILE_BYTES) {
    throw new InvalidError('PATH', `${called} has ${stats.size} bytes`, `at most ${MOST_FILE_BYTES / MB} MB`)
  }
  const text = utf8(
    attempted(called, () => readFileSync(path)),
    called,
  )
  return { path: basename(path), text, modifiedAt: instant(stats.mtimeMs) }
}

function utf8(bytes: Uint8Array, called: string): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new InvalidError('PATH', `${called} is not UTF-8`, 'text in UTF-8')
  }
}

class Walk {
  readonly files: SourceFile[] = []
  readonly problems: ImportProblem[] = []
  readonly #root: string
  #bytes = 0

  constructor(root: string) {
    this.#root = root
  }

  /** `within`: where any of these is there, nothing else counts. */
  folder(path: string, within: readonly string[], depth = 0): void {
    if (depth > DEEPEST) {
      this.problems.push({ source: path, problem: 'lies too deep' })
      return
    }
    const all = attempted(path || this.#root, () => readdirSync(join(this.#root, path), { withFileTypes: true }))
    const chosen = all.filter(({ name }) => within.includes(name))
    const listed = (chosen.length > 0 ? chosen : all).filter(
      ({ name }) => !name.startsWith('.') && name !== 'node_modules',
    )
    for (const entry of listed.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.isDirectory()) this.folder(below, [], depth + 1)
      else if (entry.isSymbolicLink())
        this.problems.push({ source: below, problem: 'is a link, and links are not followed' })
      else if (entry.isFile() && /\.md$/i.test(entry.name)) this.#page(below)
    }
  }

  #page(path: string): void {
    try {
      this.files.push(this.#read(path))
    } catch (error) {
      if (!(error instanceof Unread)) throw error
      this.problems.push({ source: path, problem: error.message })
    }
    if (this.files.length > MOST_FILES) throw tooMuch(this.#root, `more than ${MOST_FILES} Markdown files`)
    if (this.#bytes > MOST_BYTES) throw tooMuch(this.#root, `more than ${MOST_BYTES / MB} MB of Markdown`)
  }

  #read(path: string): SourceFile {
    let file: number
    try {
      // It may have become a link or a pipe since the folder was listed.
      file = openSync(join(this.#root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    } catch (cause) {
      throw new Unread(`can't be read: ${(cause as NodeJS.ErrnoException).code}`) // what node:fs throws
    }
    try {
      const { size, mtimeMs } = fstatSync(file)
      if (size > MOST_PAGE_BYTES) throw new Unread(`has ${size} bytes; at most ${MOST_PAGE_BYTES / MB} MB are taken`)
      const bytes = readFileSync(file)
      this.#bytes += bytes.length
      return { path, text: decoder.decode(bytes), modifiedAt: instant(mtimeMs) }
    } catch (error) {
      if (error instanceof TypeError) throw new Unread('is not UTF-8')
      throw error
    } finally {
      closeSync(file)
    }
  }
}

class Unread extends Error {}

function statOf(path: string, called: string): Stats {
  return attempted(called, () => statSync(path))
}

function attempted<T>(called: string, run: () => T): T {
  try {
    return run()
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException // what node:fs throws
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new KeepsakeError('NOT_FOUND', `there is no ${called}`, { hint: 'Check the path.', data: { path: called } })
    }
    const facts = { hint: 'Check its owner and mode.', data: { path: called }, cause }
    throw new KeepsakeError('IO', `${called} can't be read: ${message}`, facts)
  }
}

function tooMuch(root: string, what: string): InvalidError {
  return new InvalidError('PATH', `${root} has ${what}`, 'a smaller folder; import its parts one by one')
}
