/**
 * What V8 has compiled, from one call of a command to the next: reading the program's text and compiling what it needs of it was a
 * quarter of a recall's CPU time. Kept beside the program: whoever may write there may change the program as well, and it
 * goes when the program goes. Never in the way: what can't be read, is not whole or is refused is made anew, and where
 * nothing can be written, each call compiles for itself. A first call may have needed little of what the others need (another
 * event of a hook, a memory with nothing in it), so now and then it is looked at whether much had to be compiled besides, and
 * then that is kept too. See docs/decisions/0016.
 */
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, type Stats, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

const CHECKSUM_BYTES = 4
/** As `require` wraps a file. */
const BEFORE = Buffer.from('(function (exports, require, module, __filename, __dirname) {')
const AFTER = Buffer.from('\n})')
/** To look costs milliseconds, after the answer: with the call after the one that wrote it, then ever more seldom. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 3_600_000
/** From so much more on it is worth being written anew; what code was optimised or dropped makes it differ by less. */
const MUCH_MORE = 1.05

export class CompiledCode {
  readonly #path: string
  #sourceChecksum = 0
  #script: Script | undefined
  /** What was taken: its size, and what the system says of its file. */
  #taken: { readonly bytes: number; readonly stats: Stats } | undefined

  /** `verb`: each command has its own, for each needs other parts of the program. */
  constructor(folder: string, verb: string) {
    // The tag stands for V8's version, its flags and the processor.
    this.#path = join(folder, 'compiled', `${verb}-${cachedDataVersionTag()}`)
  }

  /** Loads a file as `require` would, which then finds it loaded. `taken`: called when the compiled code is, before it runs. */
  load(file: string, taken: () => void): void {
    const text = readFileSync(file)
    this.#sourceChecksum = crc32(text)
    const cachedData = this.#read()
    const source = Buffer.concat([BEFORE, text, AFTER]).toString('latin1') // one long string less than by joining strings
    const script = new Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) })
    this.#script = script
    if (script.cachedDataRejected) this.#taken = undefined
    taken()
    const loaded = { id: file, filename: file, loaded: true, exports: {} } as NodeJS.Module // all that `require` looks at
    script.runInThisContext()(loaded.exports, require, loaded, file, dirname(file))
    require.cache[file] = loaded
  }

  /** After the command is done: by then, what it needs is compiled. */
  keep(): void {
    if (!this.#script) return
    try {
      if (this.#taken && !this.#isTimeToLook(this.#taken.stats)) return
      const bytes = this.#script.createCachedData()
      if (!this.#taken || bytes.length > this.#taken.bytes * MUCH_MORE) this.#write(bytes)
    } catch {
      // a folder that is not ours to write to
    }
  }

  /**
   * The file's time of modification says when to look again, and how long before that this was said, when to look after that. Said
   * before it is looked: where it can't be, every call would look.
   */
  #isTimeToLook({ mtimeMs, ctimeMs }: Stats): boolean {
    const nowMs = Date.now()
    // A time further away than any pause was written by a clock that went wrong.
    if (mtimeMs > nowMs && mtimeMs < nowMs + LONGEST_PAUSE_MS) return false
    const pauseMs = Math.min(Math.max(2 * (mtimeMs - ctimeMs), FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
    utimesSync(this.#path, nowMs / 1000, (nowMs + pauseMs) / 1000)
    return true
  }

  /** V8 believes what it is given. So it is given nothing but what was written, and for this very text. */
  #read(): Buffer | undefined {
    try {
      const stats = lstatSync(this.#path)
      if (!isOurs(lstatSync(dirname(this.#path))) || !isOurs(stats)) return undefined
      const all = readFileSync(this.#path)
      const bytes = all.subarray(0, -CHECKSUM_BYTES)
      if (this.#checksum(bytes) !== all.readUInt32LE(bytes.length)) return undefined
      this.#taken = { bytes: bytes.length, stats }
      return bytes
    } catch {
      return undefined
    }
  }

  #write(bytes: Buffer): void {
    const checksum = Buffer.alloc(CHECKSUM_BYTES)
    checksum.writeUInt32LE(this.#checksum(bytes))
    const temporary = `${this.#path}.${process.pid}`
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o755 })
    if (!isOurs(lstatSync(dirname(this.#path)))) return
    try {
      writeFileSync(temporary, Buffer.concat([bytes, checksum]), { mode: 0o644, flag: 'wx' })
      renameSync(temporary, this.#path)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
  }

  #checksum(bytes: Buffer): number {
    return crc32(bytes, this.#sourceChecksum)
  }
}

/** What is run here, nobody may write but who may change the program, whatever the umask was when it was made. */
function isOurs({ uid, mode }: Stats): boolean {
  return process.getuid === undefined || ((mode & 0o022) === 0 && (uid === 0 || uid === lstatSync(__filename).uid))
}
