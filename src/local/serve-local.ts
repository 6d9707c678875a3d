/**
 * Answers this user's other commands on this machine: one question for each connection, in bounds of size and time. Only a search,
 * which changes nothing, and only of this workspace. What goes wrong is no answer, and who asked searches by itself, and is told
 * there what is wrong.
 */
import { chmodSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import type { AgentMemories } from '../agents/agent-memories.ts'
import type { Found } from '../recall/found.ts'
import { answerAt } from './ask-sockets.ts'
import { GREETING, MOST_QUESTION_BYTES, parseQuestion, type Question, type Reply } from './question.ts'
import { identityOf, type LocalPlace, newSocketPath, socketsBeside } from './socket-place.ts'

export interface ServeOptions {
  readonly place: LocalPlace
  /** What else decides about the hits, in one text: only who says the same is answered. */
  readonly setup: string
  /** Told which entries were given to who asked. */
  readonly recalled?: (ids: readonly string[]) => void
}

export interface LocalServing {
  readonly path: string
  /** Nobody is answered any more, and the socket is gone. */
  close(): Promise<void>
}

/** Who asks has gone by then. */
const SILENCE_MS = 5000
const MOST_CONNECTIONS = 64
const SWEEP_MS = 200

/** It keeps no process alive. */
export async function serveLocal(
  memories: AgentMemories,
  { place, setup, recalled }: ServeOptions,
): Promise<LocalServing> {
  const path = newSocketPath(place, Date.now())
  const connections = new Set<Socket>()
  const server = createServer((socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    converse(socket, async (question, signal) => {
      const no = refusal(question, place, setup)
      if (no !== undefined) return { no }
      const found = await searched(memories, question, signal)
      recalled?.(found.hits.map(({ entry }) => entry.id))
      return { found }
    })
  })
  server.maxConnections = MOST_CONNECTIONS
  await listening(server, path)
  server.unref()
  chmodSync(path, 0o600)
  await clearAwayDead(path, place)
  return {
    path,
    close: async () => {
      const isClosed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      for (const socket of connections) socket.destroy()
      await isClosed
    },
  }
}

async function searched(memories: AgentMemories, question: Question, signal: AbortSignal): Promise<Found> {
  const memory = await memories.of(question.agent)
  const found = await memory.search(question.query, { ...question.options, signal })
  if ((found.searched.vectors?.pending ?? 0) > 0) memories.embedBehind(memory)
  return found
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ path }, () => {
      // What fails from here on concerns one connection.
      server.off('error', reject).on('error', () => undefined)
      resolve()
    })
  })
}

function converse(socket: Socket, answer: (question: Question, signal: AbortSignal) => Promise<Reply>): void {
  const gone = new AbortController()
  const chunks: Buffer[] = []
  let size = 0
  socket.setTimeout(SILENCE_MS, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.on('close', () => gone.abort())
  const read = async (chunk: Buffer): Promise<void> => {
    size += chunk.length
    chunks.push(chunk)
    const isWhole = chunk.includes('\n')
    if (size > MOST_QUESTION_BYTES) return void socket.destroy()
    if (!isWhole) return
    socket.off('data', read)
    const question = parseQuestion(Buffer.concat(chunks).toString('utf8'))
    const reply = question ? await answer(question, gone.signal).catch(failed) : { no: 'that is no question' }
    if (!socket.destroyed) socket.end(`${JSON.stringify(reply)}\n`)
  }
  socket.on('data', read)
  socket.write(GREETING)
}

function failed(error: unknown): Reply {
  return { no: error instanceof Error ? error.message : String(error) }
}

function refusal({ version, workspace, setup }: Question, place: LocalPlace, ours: string): string | undefined {
  if (version !== place.version) return `this is version ${place.version}`
  if (workspace !== identityOf(place.root)) return 'this is another workspace'
  if (setup !== ours) return 'this is set up differently'
  return undefined
}

/** What was left by servers that could not end as they should; looking at them is enough. */
async function clearAwayDead(path: string, place: LocalPlace): Promise<void> {
  const until = AbortSignal.timeout(SWEEP_MS)
  await Promise.all(socketsBeside(path, place).map((other) => answerAt(other, '', SWEEP_MS, until)))
}
