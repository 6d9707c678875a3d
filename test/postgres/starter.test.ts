/** `npm run postgres`: the server ends with it, however it ends, and leaves only the data of --path. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { postgresProgram, removePostgres } from '../../scripts/postgres-program.mjs'
import { afterThisFile } from '../clean-up.ts'

const SCRIPT = resolve(import.meta.dirname, '../../scripts/postgres.mjs')

interface Run {
  readonly child: ChildProcessWithoutNullStreams
  readonly url: string
  readonly output: string
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'with a blank '))
  afterThisFile(() => removePostgres(folder))
  return folder
}

/** Resolves when it has printed how to connect. */
async function start(args: readonly string[]): Promise<Run> {
  const child = spawn(process.execPath, [SCRIPT, ...args])
  afterThisFile(() => child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  await expect.poll(() => output).toContain('Ctrl-C')
  const password = /PGPASSWORD=(\S+)/.exec(output)?.[1] ?? ''
  const url = (/'(postgres:\/\/keepsake@\S+)'/.exec(output)?.[1] ?? '').replace('@', `:${password}@`)
  return { child, url, output }
}

async function connects(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  return await client.connect().then(
    () => client.end().then(() => true),
    () => false,
  )
}

const { problem } = postgresProgram()

describe.skipIf(problem !== undefined)(
  `npm run postgres${problem === undefined ? '' : ` (no server: ${problem})`}`,
  () => {
    it.each(['SIGINT', 'SIGKILL'] as const)('leaves nothing behind after %s', async (signal) => {
      const { child, url, output } = await start([])
      const folder = /its data +(.+), removed at the end/.exec(output)?.[1] ?? ''
      expect(existsSync(folder)).toBe(true)
      expect(await connects(url)).toBe(true)
      child.kill(signal)
      await once(child, 'exit')
      await expect.poll(() => existsSync(folder)).toBe(false)
      expect(await connects(url)).toBe(false)
    })

    it('keeps the data and the password of --path', async () => {
      const folder = newFolder()
      const first = await start(['--path', folder, '--password', 'secret'])
      first.child.kill('SIGKILL')
      await expect.poll(() => existsSync(join(folder, 'data/postmaster.pid'))).toBe(false)
      const second = await start(['--path', folder])
      expect(second.output).toContain('export PGPASSWORD=secret')
      expect(await connects(second.url)).toBe(true)
      second.child.kill('SIGINT')
      expect(await once(second.child, 'exit')).toEqual([0, null])
      expect(readdirSync(folder)).toEqual(expect.arrayContaining(['data', 'password']))
    })
  },
)
