/**
 * One life of the process that works out vectors, seen from outside. While nothing is asked of it, it does not keep this process
 * alive. When it ends, whatever was asked fails; and one that answers no more is ended.
 *
 * A process and not a thread, because measured: ONNX Runtime's module can be loaded once in a process, and where threads come and go it
 * corrupts the memory of all (docs/decisions/0019). What crashes or is killed here takes no memory store along.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { KeepsakeError } from '../../errors.ts'
import type { EngineKind, EngineSettings } from './engine.ts'
import { MINILM } from './model-files.ts'
import type { Answer, Failed, Request } from './worker-messages.ts'

type Asked = { readonly open: EngineSettings } | { readonly texts: readonly string[] }

interface Waiting {
  answer(answer: Answer): void
  fail(error: unknown): void
}

export class WorkerEndedError extends KeepsakeError {
  constructor(how: string) {
    super('MODEL', `the process that runs ${MINILM} ended (${how})`, {
      hint: 'Try again: the next call starts another. If it ends each time, memory may be short (it takes about 250 MB).',
      data: { refused: true, mayPass: true }, // one of the texts may have been its end, or somebody killed it
    })
  }
}

/** Many times what the slowest machine needs. */
const OPENING_MS = 120_000
const BATCH_MS = 30_000
const TEXT_MS = 1000

export class StartedWorker {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  readonly #exit: Promise<void>
  #asked = 0
  #ended: KeepsakeError | undefined

  constructor(program: string) {
    // Without the flags of this process: some of them fit no other program, such as --input-type.
    this.#child = fork(program, {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child.on('message', (answer: Answer) => this.#take(answer))
    this.#child.on('error', (error) => this.#end(error.message))
    this.#exit = new Promise((resolve) => {
      this.#child.on('exit', (code, signal) => {
        this.#end(signal ?? `exit status ${code}`)
        resolve()
      })
      this.#child.on('error', () => resolve())
    })
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined
  }

  async open(settings: EngineSettings): Promise<EngineKind> {
    const answer = await this.#ask({ open: settings }, OPENING_MS)
    if (!('opened' in answer)) throw new Error('an answer to another question')
    return answer.opened
  }

  async run(
    texts: readonly string[],
    mostMs: number = BATCH_MS + texts.length * TEXT_MS,
  ): Promise<readonly Float32Array[]> {
    const answer = await this.#ask({ texts }, mostMs)
    if (!('vectors' in answer)) throw new Error('an answer to another question')
    return answer.vectors.map((vector) => vector.slice()) // as received, each would keep the whole message
  }

  /** It has nothing to finish, and one that hangs heeds no other signal. */
  async close(): Promise<void> {
    this.#child.ref()
    if (this.#child.kill('SIGKILL')) await this.#exit
  }

  #ask(asked: Asked, mostMs: number): Promise<Answer> {
    const id = ++this.#asked
    const request: Request = { id, ...asked }
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended)
      const hangs = setTimeout(() => this.#giveUp(mostMs), mostMs)
      this.#waiting.set(id, {
        answer: (answer) => {
          clearTimeout(hangs)
          resolve(answer)
        },
        fail: (error) => {
          clearTimeout(hangs)
          reject(error)
        },
      })
      this.#keepAlive()
      this.#child.send(request, (error) => {
        if (error !== null) this.#end(error.message)
      })
    })
  }

  #take(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    this.#keepAlive()
    if ('failed' in answer) waiting?.fail(errorOf(answer.failed))
    else waiting?.answer(answer)
  }

  #giveUp(afterMs: number): void {
    this.#ended ??= new KeepsakeError('TIMEOUT', `${MINILM} has not answered for ${afterMs / 1000} s`, {
      hint: 'Try again: its process was ended, and the next call starts another.',
    })
    this.#child.kill('SIGKILL')
    this.#end('')
  }

  #end(how: string): void {
    this.#ended ??= new WorkerEndedError(how)
    for (const { fail } of this.#waiting.values()) fail(this.#ended)
    this.#waiting.clear()
    this.#keepAlive()
  }

  #keepAlive(): void {
    const change = this.#waiting.size > 0 ? 'ref' : 'unref'
    this.#child[change]()
    this.#child.channel?.[change]()
  }
}

function errorOf({ code, message, hint }: Failed): KeepsakeError {
  return new KeepsakeError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(code === 'MODEL' ? { data: { refused: true } } : {}),
  })
}
