// A program beside the page: starts a server with a token, reads its JSON API, and hears of what another program writes. docs/openapi.json
// describes every address.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openMemory } from 'keepsake'

const workspace = mkdtempSync(join(tmpdir(), 'keepsake-api-client-'))
const memory = await openMemory({ workspace })
await memory.remember('Run the smoke tests first.', { name: 'Deploy checklist', description: 'Before a release' })

const token = randomBytes(32).toString('hex')
const program = join(dirname(fileURLToPath(import.meta.resolve('keepsake/package.json'))), 'dist/cli/main.js')
const args = ['serve', '--workspace', workspace, '--port', '0', '--json', '--quiet']
const server = spawn(process.execPath, [program, ...args], {
  // Or a file with the token in it: --token-file. Never an argument, which every user of the machine can see.
  env: { ...process.env, KEEPSAKE_MCP_TOKEN: token },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const { url } = JSON.parse(await new Promise((resolve) => server.stdout.once('data', resolve)))
const headers = { Authorization: `Bearer ${token}` }

const { hits } = await get('/search?q=release')
console.log('found:', hits[0].entry.name, '-', hits[0].entry.content)

const events = followed(await fetch(`${url}/api/v1/events`, { headers }))
await events.next() // ready: what changes from here on is told
await memory.learnFact('Staging', 'Its name is heron.') // another process than the server
const { value: change } = await events.next()
const { entry } = await get(`/entries/${change.ids[0]}`)
console.log('told of:', entry.kind, entry.name, '-', entry.content)
await events.return()

await memory.close()
server.kill('SIGINT')

async function get(path) {
  const response = await fetch(`${url}/api/v1${path}`, { headers })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return response.json()
}

/** The data of each event; a line that begins with a colon only keeps the connection. */
async function* followed(response) {
  let rest = ''
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length))
  }
}
