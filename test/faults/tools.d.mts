import type { ChildProcess } from 'node:child_process'

/** The tool is not to be had on this machine, and why. Tests skip and print it. */
export interface Missing {
  readonly missing: string
}

export type CallName =
  | 'open'
  | 'openat'
  | 'creat'
  | 'write'
  | 'pwrite'
  | 'writev'
  | 'pwritev'
  | 'sendfile'
  | 'copy_file_range'
  | 'ftruncate'
  | 'truncate'
  | 'fsync'
  | 'fdatasync'
  | 'rename'
  | 'renameat'
  | 'renameat2'
  | 'unlink'
  | 'unlinkat'
  | 'rmdir'
  | 'mkdir'
  | 'mkdirat'
  | 'mkdtemp'
  | 'link'
  | 'linkat'
  | 'symlink'
  | 'symlinkat'
  | 'chmod'
  | 'fchmod'
  | 'fchmodat'
  | 'chown'
  | 'lchown'
  | 'fchown'
  | 'utimensat'
  | 'futimens'
  | 'read'
  | 'stat'

/** Every call the shim counts; `read` and `stat`, and opens for reading, only with FAULT_READS in the environment. */
export const callNames: readonly CallName[]

/**
 * - `kill`: SIGKILL before the call is made
 * - `kill-after`: make the call, then SIGKILL
 * - `kill-half`: write half the bytes, then SIGKILL; as `kill` where the call writes no bytes
 * - `short`: write half the bytes and return that; passes where the call writes no bytes. libuv writes the rest as a
 *   further call, so that JavaScript sees nothing of it
 * - `short:NAME`: as `short`, but that further call fails, so that JavaScript sees a short write; sticky: the disk is full
 *   from the middle of this write on
 * - `errno:NAME`: fail. With EMFILE only opens count. Node knows no name for EDQUOT: `error.code` is then
 *   `Unknown system error -122`
 * - `edit:MANNER`: a person saves a file before the call; FAULT_EDIT_FILE and FAULT_EDIT_TEXT in the environment say which
 */
export type FaultMode =
  | 'kill'
  | 'kill-after'
  | 'kill-half'
  | 'short'
  | 'short:ENOSPC'
  | 'short:EDQUOT'
  | 'short:EIO'
  | 'errno:EIO'
  | 'errno:ENOSPC'
  | 'errno:EROFS'
  | 'errno:EMFILE'
  | 'errno:EDQUOT'
  | 'errno:EACCES'
  | `edit:${Manner}`

/** How a person's editor saves; see shim.c. */
export type Manner = 'in-place' | 'rename' | 'held' | 'slow'

export interface FaultyRun {
  /** What follows `node`. */
  readonly args: readonly string[]
  /** Only calls on this folder and below it count. */
  readonly root: string
  /** Which call, from 0. Without it the calls are only counted; `mode` and `only` still say which. */
  readonly at?: number | undefined
  readonly mode?: FaultMode | undefined
  /** Every later call meets the same fault. */
  readonly sticky?: boolean | undefined
  readonly only?: readonly CallName[] | undefined
  readonly input?: string | Uint8Array | undefined
  /** Added to PATH, HOME, TMPDIR, LANG and TZ; nothing else is inherited. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly cwd?: string | undefined
  /** Rejects after this time. Default 300 000. */
  readonly timeoutMs?: number | undefined
}

export interface Call {
  readonly index: number
  readonly name: CallName
  /** Absolute, links resolved. A rename has its new name, a file already unlinked ends in ` (deleted)`. */
  readonly path: string
}

export interface FaultyResult {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** The counted calls in order, with the one that failed or killed. */
  readonly calls: readonly Call[]
  /** `name fd path` for each sync of a descriptor whose sync had failed before. Must be empty. */
  readonly syncedTwice: readonly string[]
}

export interface SmallTmpfs {
  readonly folder: string
  /** Leaves about this many bytes free, rounded up to whole pages. */
  fill(leave: number): void
  /** Undoes fill. */
  release(): void
  /** Unmounts and removes. */
  free(): void
}

export interface LoopDisk {
  readonly folder: string
  /** Cuts the power: what had not reached the disk is gone. Unmounted afterwards; every descriptor must be closed. */
  cut(): void
  /** Mounts again, which replays the journal. */
  remount(): void
  /** Unmounts and removes. */
  free(): void
}

/** The path of cc, gcc or clang. */
export function compiler(): string | undefined
export function buildShim(): { readonly path: string } | Missing
export function buildGodown(): { readonly path: string } | Missing

/** What a child is started with: PATH, HOME, TMPDIR, LANG and TZ, and no io_uring. */
export function cleanEnvironment(): Record<string, string>

/** Runs node with the shim. Throws where buildShim is missing. Only this process meets faults, not its children. */
export function runFaulty(run: FaultyRun): Promise<FaultyResult>

/** The calls in a log of the shim, in order. */
export function readCalls(log: string): readonly Call[]
/** Waits until a child that runs with the shim's `stop` has stopped; `false` when it has ended. */
export function waitUntilStopped(child: ChildProcess): Promise<boolean>

export function smallTmpfs(bytes: number): SmallTmpfs | Missing
export function loopDisk(megabytes: number): LoopDisk | Missing
