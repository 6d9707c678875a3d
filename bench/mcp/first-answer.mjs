// Starts an MCP server, calls its tool `recall` once as a client does, and tells what that took until the answer was there:
// wall time, CPU time of all its threads, and the most memory it had by then. Read from /proc, so the server takes no part.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import readline from 'node:readline'

const CLIENT = { name: 'bench', version: '1' }
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** What each era sends, one after the other: what has an id is answered before the next is sent. */
const CONVERSATIONS = {
  legacy: (call) => [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: call },
  ],
  modern: (call) => [
    { id: 1, method: 'server/discover', params: { _meta: MODERN } },
    { id: 2, method: 'tools/call', params: { ...call, _meta: MODERN } },
  ],
}

export const ERAS = Object.keys(CONVERSATIONS)

export function firstAnswer(args, era, query) {
  return whileServing(args, era, query, ({ pid, wallMs, text }) => {
    return { wallMs, cpuMs: cpuMsOf(pid), peakMb: peakMbOf(pid), text }
  })
}

/** What `use` gives, which is called when the first answer is there and before the server is ended. */
export async function whileServing(args, era, query, use) {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const started = process.hrtime.bigint()
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  try {
    const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    let answer
    for (const message of CONVERSATIONS[era]({ name: 'recall', arguments: { query } })) {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      if (message.id !== undefined) answer = await answerTo(message.id, lines)
    }
    const wallMs = Number(process.hrtime.bigint() - started) / 1e6
    return await use({ pid: child.pid, wallMs, text: answer.content[0].text })
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

async function answerTo(id, lines) {
  for (;;) {
    const { value, done } = await lines.next()
    if (done) throw new Error('the server ended without an answer')
    const message = JSON.parse(value)
    if (message.id !== id) continue
    if (message.error || message.result.isError) throw new Error(`the server failed: ${value}`)
    return message.result
  }
}

/** Of every thread that it has: the time on a processor, in nanoseconds, is the first number of schedstat. */
function cpuMsOf(pid) {
  const threads = fs.readdirSync(`/proc/${pid}/task`)
  const times = threads.map(
    (thread) => fs.readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0],
  )
  return times.reduce((sum, time) => sum + Number(time), 0) / 1e6
}

function peakMbOf(pid) {
  return Number(/^VmHWM:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'latin1'))[1]) / 1024
}
