/** Nothing here opens a connection or looks up a name: a process in which all of that throws does everything. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const DIST = resolve(import.meta.dirname, '../../dist')

const PRELOAD = `
import net from 'node:net'
import dns from 'node:dns'
import dgram from 'node:dgram'
import { syncBuiltinESMExports } from 'node:module'
const refuse = (what) => () => { throw new Error('network: ' + what) }
net.Socket.prototype.connect = refuse('connect')
net.Server.prototype.listen = refuse('listen')
net.connect = net.createConnection = refuse('connect')
dgram.createSocket = refuse('dgram')
for (const name of Object.keys(dns)) if (/^(lookup|resolve|reverse)/.test(name)) dns[name] = refuse('dns')
globalThis.fetch = refuse('fetch')
globalThis.WebSocket = refuse('WebSocket')
syncBuiltinESMExports()
`

const PROGRAM = `
import { openMemory } from '${DIST}/index.js'
import net from 'node:net'
let armed = false
try { net.connect(1) } catch (error) { armed = error.message.startsWith('network') }
if (!armed) throw new Error('the trap is not armed')
const memory = await openMemory({ workspace: process.argv[1], embeddingModel: 'none' })
await memory.remember('x')
await memory.remember('x', { name: 'A', metadata: { a: [1] } })
await memory.learnFact('t', 'x')
await memory.reflect('x')
await memory.rename('A', 'B')
await memory.alias('B', 'C')
await memory.forget('B')
await memory.store.sessions.append('main', 's', [{ role: 'user' }])
console.log((await memory.recall()).text.length > 0, (await memory.list()).length)
await memory.close()
`

it('needs no network', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-net-'))
  try {
    const preload = `data:text/javascript,${encodeURIComponent(PRELOAD)}`
    const args = ['--import', preload, '--input-type=module', '-e', PROGRAM, join(folder, 'ws')]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect([status, stdout.trim()]).toEqual([0, 'true 3'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
