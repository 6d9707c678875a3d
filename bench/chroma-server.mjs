// Chroma's real server for the length of a bench: one that runs already, or one started here, with its data in a folder that
// goes afterwards.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { answersAt, chromaProgram, startChroma } from '../scripts/chroma-program.mjs'
import { freePort } from '../scripts/ports.mjs'

/** @returns where it answers and how to stop it, or the reason why there is none */
export async function chromaServer({ address, node }) {
  if (address) {
    return (await answersAt(address)) ? { address, stop() {} } : { problem: `no Chroma answers at ${address}` }
  }
  const { program, problem } = chromaProgram({ node, mayFetch: true })
  return problem ? { problem } : start(program)
}

async function start(program) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keepsake-bench-chroma-'))
  const remove = () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  // A bench that is broken off ends by `exit` too, which ends the server.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  process.once('exit', remove)
  const { child, address, ended, problem } = await startChroma({ program, folder, port: await freePort() })
  if (problem) return { problem }
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
    remove()
  }
  return { address, data: folder, stop }
}
