// A memory moved to the server and back, by the command that people use.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { row } from '../table.mjs'
import { openBare } from './bare.mjs'
import { wallMs } from './turns.mjs'

const CLI = new URL('../../dist/cli/main.js', import.meta.url).pathname
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

/** Leaves the memory on the server, for what comes after. */
export async function movingRows({ address, moved, folder, workspace, texts, at, barred }) {
  console.error('bench: moving there and back')
  const bare = await openBare(address, 'moved')
  const taken = {
    there: await wallMs(() => move(workspace, moved)),
    added: await wallMs(() => bare.fill(texts)),
    back: await wallMs(() => move(moved, path.join(folder, 'back'))),
    got: await wallMs(() => bare.getAll()),
  }
  const ms = (name) => (taken[name] * 1000) / texts.length
  const unit = 'ms per 1,000'
  return [
    // The text goes over twice, in the history and in a snapshot; and the program starts, reads the folder and compares all in the end.
    row(`move to Chroma ${at}`, unit, ms('there'), 'bare add, 300 at once', ms('added'), barred(4)),
    row(`move back to a folder ${at}`, unit, ms('back'), 'bare get, 300 at once', ms('got')),
  ]
}

function move(from, to) {
  const args = [CLI, 'move', '--workspace', from, '--to', to]
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`moving to ${to} failed: ${stderr}`)
}
