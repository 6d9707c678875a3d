/** The built server behind the real client of the SDK, in either era of the protocol, and behind bare streams. */
import { mkdirSync, readdirSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { formatOwner, thisProcess } from '../../src/stores/disk/owner.ts'
import { afterThisFile } from '../clean-up.ts'
import { cleanEnvironment, type Desk, MAIN } from '../cli/keepsake.ts'

export const ERAS = ['legacy', 'modern'] as const

export type Era = (typeof ERAS)[number]

/** As it is, the client would begin with a second process to find out the era; a class of its own asks on the spot. */
class OneProcess extends StdioClientTransport {}

export interface Connected {
  readonly client: Client
  readonly pid: number
}

/** A server of its own for each call; it ends with the tests of the file. */
export async function connect(desk: Desk, era: Era, args: readonly string[] = []): Promise<Connected> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } } },
  )
  const { PATH = '', ...env } = cleanEnvironment(desk.folder) as Record<string, string> // all are set
  const transport = new OneProcess({
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    cwd: desk.folder,
    env: { ...env, PATH },
    stderr: 'ignore',
  })
  afterThisFile(() => client.close())
  await client.connect(transport)
  return { client, pid: transport.pid ?? 0 }
}

/** Holds the workspace's lock as another living process does. */
export function holdLock(desk: Desk): () => void {
  const folder = join(desk.workspace, '.state/lock')
  mkdirSync(folder, { recursive: true })
  const newest = Math.max(0, ...readdirSync(folder).map((name) => Number.parseInt(name, 10)))
  const path = join(folder, String(newest + 1))
  symlinkSync(formatOwner(thisProcess()), path)
  return () => unlinkSync(path)
}

export function textOf(result: { readonly content: readonly object[] }): string {
  return result.content.map((block) => ('text' in block ? String(block.text) : '')).join('')
}

/** Long enough for a busy machine, and less than the time limit of a test. */
const GIVE_UP_MS = 30_000

/** Asks until it is so, and fails with the last answer if it never is. */
export async function eventually<T>(ask: () => T | Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  const until = Date.now() + GIVE_UP_MS
  for (;;) {
    const value = await ask()
    if (isSo(value)) return value
    if (Date.now() > until) throw new Error(`still ${JSON.stringify(value)?.slice(0, 1000)} after ${GIVE_UP_MS} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
