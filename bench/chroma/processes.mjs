// Starts the worker's processes: one after another to open, several at once to write.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const WORKER = new URL('./worker.mjs', import.meta.url).pathname
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

/** @returns ms from the start of a process to its first answer */
export function openInProcess(asked) {
  return openedInProcess(asked).ms
}

/** @returns bytes that a process holds after its first answer */
export function memoryInProcess(asked) {
  return openedInProcess(asked).rss
}

function openedInProcess(asked) {
  const args = [WORKER, JSON.stringify({ task: 'open', ...asked })]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`opening failed: ${stderr}`)
  const opened = JSON.parse(stdout)
  if (opened.found === 0) throw new Error('a process that was opened found nothing')
  return opened
}

/** @returns wall ms for each entry, of all writers together */
export async function writeAtOnce(writers, asked) {
  const all = Array.from({ length: writers }, () => writer(asked))
  for (const { ready } of all) await ready
  for (const { child } of all) child.stdin.write('begin\n')
  const results = await Promise.all(all.map(({ done }) => done))
  const began = Math.min(...results.map((result) => result.began))
  const ended = Math.max(...results.map((result) => result.ended))
  return (ended - began) / (writers * asked.count)
}

function writer(asked) {
  const args = [WORKER, JSON.stringify({ task: 'write', ...asked })]
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { value } = await lines.next()
    if (value === undefined) throw new Error('a writer ended early')
    return value
  }
  const ready = next()
  const done = ready.then(async () => {
    const result = JSON.parse(await next())
    await once(child, 'close')
    return result
  })
  return { child, ready, done }
}
