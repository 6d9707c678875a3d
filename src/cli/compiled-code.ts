/**
 * What V8 has compiled, from one call of a command to the next: reading the program's text and compiling what it needs of it was a
 * quarter of a recall's CPU time. Kept beside the program: whoever may write there may change the program as well, and it
 * goes when the program goes. Never in the way: what can't be read, is not whole or is refused is made anew, and where
 * nothing can be written, each call compiles for itself. See docs/decisions/0016.
 */
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

const CHECKSUM_BYTES = 4
/** As `require` wraps a file. */
const BEFORE = Buffer.from('(function (exports, require, module, __filename, __dirname) {')
const AFTER = Buffer.from('\n})')

export class CompiledCode {
  readonly #path: string
  #sourceChecksum = 0
  #script: Script | undefined

  /** `verb`: each command has its own, for each needs other parts of the program. */
  constructor(folder: string, verb: string) {
    // The tag stands for V8's version, its flags and the processor.
    this.#path = join(folder, 'compiled', `${verb}-${cachedDataVersionTag()}`)
  }

  /** Loads a file as `require` would, which then finds it loaded. */
  load(file: string): void {
    const text = readFileSync(file)
    this.#sourceChecksum = crc32(text)
    const cachedData = this.#read()
    const source = Buffer.concat([BEFORE, text, AFTER]).toString('latin1') // one long string less than by joining strings
    const script = new Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) })
    if (!cachedData || script.cachedDataRejected) this.#script = script
    const loaded = { id: file, filename: file, loaded: true, exports: {} } as NodeJS.Module // all that `require` looks at
    script.runInThisContext()(loaded.exports, require, loaded, file, dirname(file))
    require.cache[file] = loaded
  }

  /** After the command is done: by then, what it needs is compiled. */
  keep(): void {
    if (!this.#script) return
    try {
      this.#write(this.#script.createCachedData())
    } catch {
      // a folder that is not ours to write to
    }
  }

  /** V8 believes what it is given. So it is given nothing but what was written, and for this very text. */
  #read(): Buffer | undefined {
    try {
      if (!isOurs(dirname(this.#path)) || !isOurs(this.#path)) return undefined
      const all = readFileSync(this.#path)
      const bytes = all.subarray(0, -CHECKSUM_BYTES)
      return this.#checksum(bytes) === all.readUInt32LE(bytes.length) ? bytes : undefined
    } catch {
      return undefined
    }
  }

  #write(bytes: Buffer): void {
    const checksum = Buffer.alloc(CHECKSUM_BYTES)
    checksum.writeUInt32LE(this.#checksum(bytes))
    const temporary = `${this.#path}.${process.pid}`
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o755 })
    if (!isOurs(dirname(this.#path))) return
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
function isOurs(path: string): boolean {
  const { uid, mode } = lstatSync(path)
  return process.getuid === undefined || ((mode & 0o022) === 0 && (uid === 0 || uid === lstatSync(__filename).uid))
}
