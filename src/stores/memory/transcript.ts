/**
 * A transcript in RAM: the bytes as they came, for who moves it on, and the records that are in them. Positions count
 * records, offset by the number of purges, so that none from before a purge is valid after it. A line that can't be read is reported and
 * kept; a last line without a line end does not count until an append ends it.
 */
import { InvalidError } from '../../errors.ts'
import { parseInstant } from '../../model/time.ts'
import { isTranscriptMetadata, purgeCount } from '../../model/transcript-metadata.ts'
import type { SessionInfo, SessionPage, SessionRecord, SessionTail } from '../../ports/store.ts'

/** What one page read from behind holds; more when one append brought more. */
const PAGE_RECORDS = 100
const MAX_RECORDS = 2 ** 40
const NEWLINE = 10

interface BrokenLine {
  readonly line: number
  readonly problem: string
  /** How many records come before it. */
  readonly after: number
}

export class Transcript {
  readonly #chunks: Uint8Array[] = []
  /** JSON, as a transcript on a disk would hold them: a copy in, a copy out. */
  readonly #records: string[] = []
  /** Where each append begins. */
  readonly #starts: number[] = []
  readonly #broken: BrokenLine[] = []
  #meta: SessionRecord | undefined
  #lines = 0
  #rest: Uint8Array = new Uint8Array()

  static begun(key: string, createdAt: string): Transcript {
    const transcript = new Transcript()
    transcript.#take(encoded(`${JSON.stringify({ key, createdAt })}\n`))
    return transcript
  }

  static adopted(text: Uint8Array): Transcript {
    const transcript = new Transcript()
    transcript.#take(text.slice())
    return transcript
  }

  get end(): number {
    return this.#first + this.#records.length
  }

  /** The position of the first record. */
  get #first(): number {
    return purgeCount(this.#meta ?? {}) * MAX_RECORDS
  }

  /** Every byte of it. */
  text(): Uint8Array {
    const whole = new Uint8Array(this.#chunks.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const chunk of this.#chunks) {
      whole.set(chunk, at)
      at += chunk.length
    }
    return whole
  }

  /** Nobody was promised a line without its end, but a hand may have written it: it is ended, not cut. */
  endLastLine(): void {
    if (this.#rest.length > 0) this.#take(encoded('\n'))
  }

  append(records: readonly SessionRecord[]): void {
    const lines = records.map(recordLine)
    this.#take(encoded(`${lines.length === 1 ? lines[0] : `[${lines.join(',')}]`}\n`))
  }

  read(position: number): SessionPage {
    const isPlace = position === 0 || (position >= this.#first && position <= this.end)
    const from = isPlace ? Math.max(position - this.#first, 0) : 0
    const page = {
      meta: this.#meta ?? {},
      records: this.#records.slice(from).map(recordOf),
      next: this.end,
      broken: this.#brokenIn(from, this.#records.length),
    }
    return isPlace ? page : { ...page, restarted: true }
  }

  readBefore(position: number | undefined): SessionTail {
    const [all, starts, offset] = [this.#records.length, this.#starts, this.#first]
    const before = position === undefined ? all : position === 0 ? 0 : position - offset
    const isPlace = before === all || starts.lastIndexOf(before) !== -1
    const next = isPlace ? before : all
    const last = next === all ? starts.length : starts.lastIndexOf(next)
    let first = Math.max(last - 1, 0)
    while (first > 0 && next - (starts[first - 1] ?? 0) <= PAGE_RECORDS) first--
    const start = starts[first] ?? 0
    const tail = {
      meta: this.#meta ?? {},
      records: this.#records.slice(start, next).map(recordOf),
      start: start === 0 ? 0 : offset + start,
      next: offset + next,
      broken: this.#brokenIn(start, next),
    }
    return isPlace ? tail : { ...tail, restarted: true }
  }

  info(key: string): SessionInfo {
    const createdAt = this.#meta?.['createdAt']
    const problem = this.#broken.find(({ line }) => line === 1)?.problem
    return {
      key,
      createdAt: typeof createdAt === 'string' ? createdAt : null,
      ...(problem === undefined ? {} : { problem }),
    }
  }

  #brokenIn(from: number, to: number): { line: number; problem: string }[] {
    const inside = this.#broken.filter(({ line, after }) => line === 1 || (after >= from && after <= to))
    return inside.map(({ line, problem }) => ({ line, problem }))
  }

  #take(bytes: Uint8Array): void {
    this.#chunks.push(bytes)
    let at = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, at)) {
      this.#takeLine(joined(this.#rest, bytes.subarray(at, end)))
      this.#rest = new Uint8Array()
      at = end + 1
    }
    this.#rest = joined(this.#rest, bytes.subarray(at))
  }

  #takeLine(line: Uint8Array): void {
    this.#lines++
    const value = parsed(line)
    if (this.#lines === 1 && this.#takeMetadata(value)) return
    const records = Array.isArray(value) ? value : [value]
    if (!records.every(isRecord)) {
      if (this.#lines > 1) this.#noteBroken('it is not a JSON object')
      return
    }
    this.#starts.push(this.#records.length)
    for (const record of records) this.#records.push(JSON.stringify(record))
  }

  /** Whether the line is the metadata, and not what was said already. */
  #takeMetadata(value: unknown): boolean {
    if (!isTranscriptMetadata(value)) {
      this.#noteBroken(isRecord(value) ? 'there is no metadata line before it' : 'the metadata line can not be read')
      return false
    }
    const { createdAt: said, ...rest } = value
    const createdAt = parseInstant(said)
    if (createdAt === undefined) this.#noteBroken('it does not say since when it is')
    this.#meta = createdAt === undefined ? rest : { ...rest, createdAt }
    return true
  }

  #noteBroken(problem: string): void {
    this.#broken.push({ line: this.#lines, problem, after: this.#records.length })
  }
}

/** As JSON, so that what can't be written down is refused before anything is kept. */
export function recordLine(record: SessionRecord): string {
  if (!isRecord(record)) throw new InvalidError('record', 'is not an object', 'a JSON object')
  try {
    return JSON.stringify(record)
  } catch (cause) {
    throw new InvalidError('record', `is not JSON: ${String(cause)}`, 'a JSON object')
  }
}

function recordOf(line: string): SessionRecord {
  return JSON.parse(line)
}

function parsed(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line))
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is SessionRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
