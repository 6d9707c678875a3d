// The store on a Chroma server, beside the folder and beside bare Chroma: writing, moving, catching up, recalling. The server is the real
// one on this machine, so its answers take no way over a network; all sides take turns on it. Wall time, because the server's CPU time
// is not known to who asks it.
import { openMemory } from '../dist/index.js'
import { catchingUpRows } from './chroma/catching-up.mjs'
import { movingRows } from './chroma/moving.mjs'
import { recallingRows } from './chroma/recalling.mjs'
import { sizesRows } from './chroma/sizes.mjs'
import { writingRows } from './chroma/writing.mjs'
import { chromaServer } from './chroma-server.mjs'
import { inFilledWorkspace } from './filled-workspace.mjs'

/** Of fewer entries the start of a program is most of what is measured. */
const HELD_AT = 10_000

export async function benchChroma(size, { chroma } = {}) {
  const server = await chromaServer({ address: chroma })
  if (server.problem) {
    console.error(`bench: chroma is LEFT OUT: ${server.problem}`)
    return []
  }
  try {
    return await inFilledWorkspace('chroma', size, (filled) => measure({ ...size, ...filled, ...server }))
  } finally {
    await server.stop()
  }
}

async function measure({ queries, first, ...given }) {
  const { address, entries, workspace } = given
  // A database for each, which a memory makes when it is first written.
  const placeOf = (name) => `chroma://${new URL(address).host}/bench-${name}-${process.pid}`
  const common = {
    ...given,
    placeOf,
    moved: placeOf('moved'),
    texts: await textsOf(workspace),
    at: `at ${entries.toLocaleString('en')} entries`,
    barred: (bar) => (entries >= HELD_AT ? bar : undefined),
  }
  return [
    ...(await writingRows(common)),
    ...(await movingRows(common)),
    ...(await catchingUpRows({ ...common, query: first.join(' ') })),
    ...(await recallingRows({ ...common, queries: queries.map((words) => words.join(' ')) })),
    ...(await sizesRows({ ...common, query: first.join(' ') })),
  ]
}

async function textsOf(workspace) {
  const memory = await openMemory({ workspace })
  const texts = []
  for await (const { content } of memory.store.scan()) texts.push(content)
  await memory.close()
  return texts
}
