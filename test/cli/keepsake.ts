/** Runs the built command line as its users do: a process of its own, in a folder of its own, with a home of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { openMemory } from '../../src/index.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { afterThisFile } from '../clean-up.ts'

export const MAIN: string = resolve(import.meta.dirname, '../../dist/cli/main.js')

export interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly uid?: number
}

/** What `--json` printed; tests look at what they expect in it. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
export type Printed = any

/** A folder that is removed after the tests of this file. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-cli-'))
  afterThisFile(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function cleanEnvironment(folder: string, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { PATH } = process.env
  return { PATH, HOME: join(folder, 'home'), TZ: 'UTC', KEEPSAKE_EMBEDDING_MODEL: 'none', ...more }
}

/** A folder to work in, and the command line run in it. */
export class Desk {
  readonly folder: string = freshFolder()

  /** The workspace that `init` makes here. */
  get workspace(): string {
    return join(this.folder, '.keepsake')
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return this.#spawn(process.execPath, [MAIN, ...args], options)
  }

  /** Begins a command and does not wait for it. */
  start(args: readonly string[]): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [MAIN, ...args], { cwd: this.folder, env: cleanEnvironment(this.folder) })
  }

  /** A line of shell, in which "$NODE" "$MAIN" is the command. */
  shell(line: string, shell = 'sh'): Promise<Ran> {
    return this.#spawn(shell, ['-c', line], { env: { NODE: process.execPath, MAIN } })
  }

  /** Another program, with the same folder and environment. */
  runProgram(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return this.#spawn(program, args, options)
  }

  runUnder(umask: string, args: readonly string[]): Promise<Ran> {
    return this.#spawn('sh', ['-c', `umask ${umask}; exec "$@"`, 'sh', process.execPath, MAIN, ...args], {})
  }

  #spawn(program: string, args: readonly string[], { input, env, cwd, uid }: RunOptions): Promise<Ran> {
    const child = spawn(program, args, {
      cwd: cwd ?? this.folder,
      env: cleanEnvironment(this.folder, env),
      ...(uid === undefined ? {} : { uid, gid: uid }),
    })
    // A command that fails early leaves its input unread.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input ?? '')
    return ended(child)
  }

  /** The one JSON object on standard output; fails when there is anything else anywhere. */
  async json(args: readonly string[], options: RunOptions = {}): Promise<Printed> {
    const { status, stdout, stderr } = await this.run([...args, '--json'], options)
    if (stderr !== '') throw new Error(`--json wrote to standard error: ${stderr}`)
    if (!stdout.endsWith('\n') || stdout.slice(0, -1).includes('\n')) throw new Error(`not one line: ${stdout}`)
    return { ...JSON.parse(stdout), status }
  }

  /** With a workspace that has something of each sort in it; made by the library, which takes less time than processes. */
  static async furnished(): Promise<Desk> {
    const desk = new Desk()
    const memory = await openMemory({ workspace: desk.workspace, timezone: 'Europe/Berlin' })
    await memory.remember('The staging server moved.')
    await memory.remember('Run make ship.', { name: 'Deploys', aliases: ['releases'] })
    await memory.remember('Call the printer first.', { name: 'Posters' })
    await memory.learnFact('Staging server', 'Its name is heron.')
    await memory.close()
    return desk
  }

  /** As furnished, with nothing in it. */
  static async empty(timezone = 'UTC'): Promise<Desk> {
    const desk = new Desk()
    const store = filesystemStore({ root: desk.workspace, timezone })
    await store.init()
    await store.close()
    return desk
  }

  async make(args: readonly string[], options: RunOptions = {}): Promise<void> {
    const { status, stderr } = await this.run([...args, '--quiet'], options)
    if (status !== 0) throw new Error(`keepsake ${args.join(' ')}: ${stderr}`)
  }

  /** Writes a file of the workspace as a person would. */
  edit(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.workspace, path)), { recursive: true })
    writeFileSync(join(this.workspace, path), content)
  }

  /** One value for all that is in the folder. */
  hash(): string {
    return treeHash(this.folder)
  }
}

/** Resolves once a command that takes its text from standard input is reading it: more than a pipe holds is gone. */
export function isReading(child: ChildProcessWithoutNullStreams): Promise<void> {
  return new Promise((resolve) => {
    child.stdin.write('patience '.repeat(100_000), () => resolve())
  })
}

/** What a begun command printed, once it has ended. */
export async function ended(child: ChildProcessWithoutNullStreams): Promise<Ran> {
  const [stdout, stderr, status] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject)),
  ])
  return { status, stdout, stderr }
}

/** Every byte: Node's own `text` leaves a byte order mark out. */
async function textOf(stream: Readable): Promise<string> {
  return (await buffer(stream)).toString('utf8')
}

/** Names, modes, texts and links; the lock apart, which also a writer takes that is then refused. */
export function treeHash(folder: string): string {
  const hash = createHash('sha256')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const name of names.filter((path) => !path.includes('.state/lock')).sort()) {
    const path = join(folder, name)
    const stats = lstatSync(path)
    const content = stats.isFile() ? readFileSync(path) : stats.isSymbolicLink() ? readlinkSync(path) : ''
    hash.update(`${name}\0${stats.mode}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}
