/**
 * What a command is: how it is called, what its help says, and one function from what was asked to an outcome. A command
 * prints nothing; main.ts does, in the form that was asked for.
 */
import type { Memory } from '../memory.ts'
import type { Arguments } from './arguments.ts'
import type { Screen } from './screen.ts'

export interface Option {
  readonly name: string
  /** What its value is called in the help; an option without one is a flag. */
  readonly value?: string
  /** May be given more than once. */
  readonly many?: true
  /** An empty value means something. */
  readonly mayBeEmpty?: true
  readonly about: string
}

export interface Operand {
  readonly name: string
  readonly optional?: true
  /** The last one may be given more than once. */
  readonly many?: true
}

export interface Command {
  readonly verb: string
  readonly operands: readonly Operand[]
  /** Lines of its help. */
  readonly about: readonly string[]
  readonly options: readonly Option[]
  readonly examples: readonly string[]
  readonly run: (context: Context) => Promise<Outcome>
  /** What it answers where it can't be run as it was called; missing: that is told as a failure. */
  readonly failed?: (error: unknown) => Promise<Outcome>
}

/** A verb of several commands: the word behind it says which. Each is a command like any other, its verb being both words. */
export interface Family {
  readonly verb: string
  readonly about: readonly string[]
  /** By their words, in the order of the help. */
  readonly commands: ReadonlyMap<string, Member>
  readonly examples: readonly string[]
}

export interface Member {
  readonly summary: string
  readonly load: () => Promise<Command>
}

export interface Opened {
  readonly memory: Memory
  /** The folder of the workspace, or its one file, absolute. */
  readonly root: string
  /** `false`: there is no memory yet, and this is the default place for one. */
  readonly isThere: boolean
  /** Warnings to print beside the answer, such as that the agent is new. */
  readonly warnings: readonly string[]
}

/** How long a command has its memory: for one answer, for one that is no use if it comes late, or for as long as somebody goes on. */
export type Life = 'short' | 'glance' | 'long'

/** A read needs the named workspace and agent to exist; a write may create them. */
export type Use = 'read' | 'write'

/** What the options and the environment say about where the memory is, and whose. */
export interface Asked {
  readonly workspace: string | undefined
  readonly agent: string | undefined
  readonly cwd: string
}

export interface Context {
  readonly given: Arguments
  readonly asked: Asked
  readonly screen: Screen
  /** The memory that is asked for; opened once, for a short life unless the first to open it says otherwise. */
  open(life?: Life): Promise<Opened>
  /** The same for a write, which may create the memory and the agent. Call it before any `open`. */
  openToWrite(life?: Life): Promise<Opened>
}

export interface Outcome {
  /** All of standard output under `--json`; `undefined` where that belonged to something else. */
  readonly json: object | undefined
  /** The same for people. */
  readonly text: string
  /** What `--quiet` leaves of it: nothing of a write, the bare text of a reading. */
  readonly quietText: string
  /** Replaces both, byte for byte, unless standard output is a terminal. */
  readonly rawText?: string
  readonly warnings: readonly string[]
  /** An output that can't be written is no failure. */
  readonly mayBeLost?: true
  /** A command that serves goes on after this is printed, until then. */
  readonly until?: Promise<void>
}
