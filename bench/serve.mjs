// The page's server: a search over HTTP, from the request to the parsed answer, against the same search by the library in this process.
// Wall time, for that is what somebody who types waits for; both take turns on one workspace, by words, with every reason told.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openMemory } from '../dist/index.js'
import { inFilledWorkspace } from './filled-workspace.mjs'
import { median, row } from './table.mjs'

const CLI = new URL('../dist/cli/main.js', import.meta.url).pathname
const ASKED = { limit: 20, explain: true }

export async function benchServe(sizes) {
  return inFilledWorkspace('serve', sizes, async ({ workspace, queries, first }) => {
    const memory = await openMemory({ workspace, embed: 'none' })
    const server = await startServer(workspace)
    try {
      const byLibrary = (words) => memory.search(words.join(' '), ASKED)
      const byServer = (words) => server.get('/search', { q: words.join(' '), ...ASKED })
      const byList = () => server.get('/entries', { limit: 100, sort: 'name' })
      await byLibrary(first)
      await byServer(first)
      await byList()
      const taken = { library: [], server: [], list: [], heads: [] }
      for (const words of queries) {
        taken.library.push(await wallMs(() => byLibrary(words)))
        taken.server.push(await wallMs(() => byServer(words)))
        taken.heads.push(await wallMs(() => memory.heads()))
        taken.list.push(await wallMs(byList))
      }
      const at = `at ${sizes.entries.toLocaleString('en')} entries`
      const ours = (name) => median(taken[name])
      return [
        row(`search over HTTP ${at}`, 'ms', ours('server'), 'memory.search', ours('library'), 3),
        row(`a list of 100 over HTTP ${at}`, 'ms', ours('list'), 'memory.heads', ours('heads')),
      ]
    } finally {
      await server.end()
      await memory.close()
    }
  })
}

async function startServer(workspace) {
  const child = spawn(process.execPath, [CLI, 'serve', '--port', '0', '--json', '--quiet', '--workspace', workspace], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, KEEPSAKE_EMBEDDING_MODEL: 'none' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { url, link } = JSON.parse(await firstLine(child.stdout))
  const headers = await opened(url, link)
  return {
    get: async (path, query) => {
      const response = await fetch(`${url}/api/v1${path}?${new URLSearchParams(query)}`, { headers })
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
      return response.json()
    },
    end: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGINT')
      await ended
    },
  }
}

/** As the page opens its link. */
async function opened(url, link) {
  const [, secret] = link.split('#key=')
  const response = await fetch(`${url}/api/v1/open`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ secret }),
  })
  const { key } = await response.json()
  return { Cookie: response.headers.get('set-cookie').split(';')[0], 'Keepsake-Key': key }
}

async function firstLine(stream) {
  let text = ''
  for await (const part of stream) {
    text += part
    if (text.includes('\n')) return text
  }
  throw new Error('the server ended before it served')
}

async function wallMs(act) {
  const begin = performance.now()
  await act()
  return performance.now() - begin
}
