/**
 * Who holds a lock, and whether that process still lives. An owner is host, boot, pid namespace, pid and start time; it is
 * dead only when this very machine can prove it. Where there is no proof, it is taken to be alive.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { hostname, platform, uptime } from 'node:os'
import { sha256Hex } from './sha256.ts'
import { randomHex } from './system.ts'

// An import of it would look at each of its properties, and so open all three streams: milliseconds of every command.
const { kill, pid } = createRequire(import.meta.url)('node:process') as NodeJS.Process // its documented export

export interface Owner {
  readonly host: string
  readonly boot: string
  readonly namespace: string
  readonly pid: number
  /** Ticks after boot; `-` where the system does not tell. */
  readonly start: string
  /** Tells copies of this module apart: worker threads, or two versions of the package in one process. */
  readonly copy: string
}

let known: Owner | undefined

export function thisProcess(): Owner {
  known ??= {
    host: hostId(),
    boot: bootId(),
    namespace: pidNamespace(),
    pid,
    start: statOf(pid)?.start ?? '-',
    copy: randomHex(),
  }
  return known
}

export function isProvablyDead(owner: Owner): boolean {
  const me = thisProcess()
  if (owner.host !== me.host) return false
  // Without /proc the time of boot is only reckoned from the clock, which may be set: that proves nothing.
  if (owner.boot !== me.boot && !isReckoned(owner.boot) && !isReckoned(me.boot)) return true
  if (owner.namespace !== me.namespace) return false
  try {
    kill(owner.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true // a failed system call always has this shape
  }
  const stat = statOf(owner.pid)
  if (!stat || owner.start === '-') return false
  // A zombie holds nothing any more, once none of its threads is still inside a system call.
  return stat.start !== owner.start || stat.gone
}

/**
 * One short line, for the target of a link: ext4 keeps up to 59 bytes of one in the inode. For a byte more it takes a block, and to
 * free that takes as long as a sync, with every lock. Hence numbers to the base of 36.
 */
export function formatOwner(owner: Owner): string {
  return [owner.host, owner.boot, owner.namespace, short(owner.pid), owner.start, owner.copy].join(':')
}

export function parseOwner(text: string): Owner | undefined {
  const [host, boot, namespace, pidText, start, copy, ...rest] = text.split(':')
  const number = /^[0-9a-z]+$/.test(pidText ?? '') ? Number.parseInt(pidText ?? '', 36) : Number.NaN
  if (!host || !boot || !namespace || !start || !copy || rest.length > 0 || !Number.isInteger(number)) return undefined
  return { host, boot, namespace, pid: number, start, copy }
}

export function describeOwner(owner: Owner): string {
  const where = owner.host === thisProcess().host ? 'this machine' : `machine ${owner.host}`
  return `process ${owner.pid} on ${where}`
}

function short(number: number): string {
  return number.toString(36)
}

function hostId(): string {
  const machine = readLine('/etc/machine-id') ?? readLine('/var/lib/dbus/machine-id')
  return short(Number.parseInt(sha256Hex(machine ?? hostname()).slice(0, 12), 16))
}

function bootId(): string {
  const id = readLine('/proc/sys/kernel/random/boot_id')
  if (id) return id.replaceAll('-', '').slice(0, 12)
  // Without /proc: the time of boot to the minute, which a clock correction rarely moves.
  return `t${Math.round((Date.now() / 1000 - uptime()) / 60)}`
}

function isReckoned(boot: string): boolean {
  return boot.startsWith('t')
}

function pidNamespace(): string {
  try {
    return short(Number(readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')))
  } catch {
    return platform()
  }
}

function statOf(processId: number): { readonly start: string; readonly gone: boolean } | undefined {
  const line = readLine(`/proc/${processId}/stat`)
  if (!line) return undefined
  // The command's name may hold blanks and brackets: fields are counted after the last bracket.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const [state, threads, start] = [fields[0], fields[17], fields[19]]
  if (start === undefined) return undefined
  return { start: short(Number(start)), gone: state === 'X' || (state === 'Z' && Number(threads) <= 1) }
}

function readLine(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch {
    return undefined // not this system, or the process is gone
  }
}
