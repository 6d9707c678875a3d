/**
 * The program of the process that works out vectors: it opens the engine, then answers one batch after the other. It ends with the
 * process that started it, however that ends.
 */
import thisProcess from 'node:process'
import { isKeepsakeError } from '../../errors.ts'
import type { Engine } from './engine.ts'
import { openEngine } from './open-engine.ts'
import type { Answer, Failed, Request } from './worker-messages.ts'

let engine: Engine | undefined

thisProcess.on('message', async (request: Request) => {
  thisProcess.send?.(await answerTo(request))
})
thisProcess.on('disconnect', () => thisProcess.exit())
// The key that interrupts goes to every process of a terminal. Whether that ends the work is for the one who asked to say.
thisProcess.on('SIGINT', () => {})

async function answerTo(request: Request): Promise<Answer> {
  const { id } = request
  try {
    if ('open' in request) {
      engine = await openEngine(request.open)
      return { id, opened: engine.kind }
    }
    if (engine === undefined) throw new Error('asked for vectors before it was opened')
    return { id, vectors: await engine.run(request.texts) }
  } catch (error) {
    return { id, failed: failedBy(error) }
  }
}

function failedBy(error: unknown): Failed {
  if (isKeepsakeError(error)) return { code: error.code, message: error.message, hint: error.hint }
  return { code: 'MODEL', message: error instanceof Error ? error.message : String(error), hint: undefined }
}
