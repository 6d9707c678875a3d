// A worker and the messages to it: `engine.run('query', {…})` resolves with what the step gives, or fails as it does.
import { fork } from 'node:child_process'

const WORKER = new URL('./worker.mjs', import.meta.url).pathname

export async function startEngine({ name, node, corpus = '' }) {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const child = fork(WORKER, [name, corpus], { execPath: node, execArgv: ['--max-old-space-size=8192'], env })
  const runtime = await answer(child)
  return {
    name,
    runtime,
    run(step, args) {
      child.send({ step, ...args })
      return answer(child)
    },
    stop() {
      if (child.connected) child.disconnect()
    },
  }
}

function answer(child) {
  return new Promise((resolve, reject) => {
    const ended = (code, signal) => reject(new Error(`the worker ended with ${signal ?? code}`))
    child.once('exit', ended)
    child.once('message', ({ value, error }) => {
      child.off('exit', ended)
      if (error === undefined) resolve(value)
      else reject(new Error(error))
    })
  })
}
