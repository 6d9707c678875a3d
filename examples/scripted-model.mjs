/**
 * A language model without a model: a small server that speaks the APIs of OpenAI and Anthropic and answers by simple rules. With
 * it, everything that needs a model can be tried and tested without one, over a real socket.
 *
 *   node examples/scripted-model.mjs --port 9999
 *   OPENAI_BASE_URL=http://127.0.0.1:9999/v1 OPENAI_MODEL=any keepsake chat
 *
 * As a module, `startScriptedModel({ reply })` answers whatever `reply(request)` says: texts, tool calls, errors, broken connections.
 */
import { createServer } from 'node:http'
import { argv } from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { anthropicAnswer, anthropicEvents, anthropicRequest } from './scripted-model/anthropic.mjs'
import { openaiAnswer, openaiEvents, openaiRequest } from './scripted-model/openai.mjs'
import { sensibleReply } from './scripted-model/sensible-reply.mjs'

const PROTOCOLS = [
  { path: '/chat/completions', requestOf: openaiRequest, answerOf: openaiAnswer, eventsOf: openaiEvents },
  { path: '/messages', requestOf: anthropicRequest, answerOf: anthropicAnswer, eventsOf: anthropicEvents },
]

export async function startScriptedModel({ port = 0, reply = sensibleReply } = {}) {
  const requests = []
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing, { requests, reply }).catch(({ message }) => {
      if (outgoing.headersSent) outgoing.destroy()
      else send(outgoing, { status: 400, body: errorBody({ text: message }) })
    })
  })
  await new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  return {
    /** For both APIs. */
    url: `http://127.0.0.1:${server.address().port}/v1`,
    /** What was asked so far. */
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(incoming, outgoing, { requests, reply }) {
  const path = new URL(incoming.url, 'http://127.0.0.1').pathname
  const protocol = PROTOCOLS.find((one) => path.endsWith(one.path))
  if (!protocol || incoming.method !== 'POST') {
    const isModels = path.endsWith('/models')
    const body = isModels
      ? { object: 'list', data: [{ id: 'scripted', object: 'model' }] }
      : { error: { message: `no ${path} here` } }
    await send(outgoing, { status: isModels ? 200 : 404, body: JSON.stringify(body) })
    return
  }
  const body = JSON.parse(await textOf(incoming))
  const request = { ...protocol.requestOf(body), path, headers: incoming.headers, body, number: requests.length + 1 }
  requests.push(request)
  const said = (await reply(request)) ?? sensibleReply(request)
  await pause(said.delayMs ?? 0, undefined, { ref: false })
  if (said.body !== undefined || said.status >= 400)
    await send(outgoing, { ...said, body: said.body ?? errorBody(said) })
  else if (request.isStreamed) await sendEvents(outgoing, protocol.eventsOf(said, request), said)
  else await send(outgoing, { ...said, body: JSON.stringify(protocol.answerOf(said, request)) })
}

async function textOf(incoming) {
  const chunks = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function errorBody({ status, text }) {
  return JSON.stringify({ error: { message: text ?? `the script says ${status}`, type: 'scripted_error' } })
}

async function send(outgoing, { status = 200, headers = {}, body, cut }) {
  if (cut === 'headers') return outgoing.destroy()
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers })
  if (cut === undefined) return outgoing.end(body)
  await write(outgoing, Buffer.from(body).subarray(0, cut))
  return outgoing.destroy()
}

/** Each event is a line of data, as both APIs have it. `cut`: after how many bytes the connection breaks. */
async function sendEvents(outgoing, events, { headers = {}, pieceDelayMs = 0, cut = Number.POSITIVE_INFINITY }) {
  if (cut === 'headers') return outgoing.destroy()
  outgoing.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  let left = cut
  for (const event of events) {
    const bytes = Buffer.from(event)
    await write(outgoing, bytes.subarray(0, Math.min(left, bytes.length)))
    left -= bytes.length
    if (left < 0) return outgoing.destroy()
    if (pieceDelayMs > 0) await pause(pieceDelayMs, undefined, { ref: false })
    if (outgoing.destroyed) return undefined
  }
  return outgoing.end()
}

/** Until it is on its way; a client that is gone is none of our problems. */
function write(outgoing, bytes) {
  return new Promise((resolve) => {
    if (bytes.length === 0) outgoing.flushHeaders()
    outgoing.write(bytes.length === 0 ? '' : bytes, () => resolve())
  })
}

async function main() {
  const at = argv.indexOf('--port')
  const { url, close } = await startScriptedModel({ port: at < 0 ? 9999 : Number(argv[at + 1]) })
  console.log(`A scripted model listens. Use it with: OPENAI_BASE_URL=${url} OPENAI_MODEL=any keepsake chat`)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, close)
}

if (argv[1] && import.meta.url === pathToFileURL(argv[1]).href) await main()
