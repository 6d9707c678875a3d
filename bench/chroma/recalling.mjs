// Recall by words and by meaning, with drawn vectors, beside the nearest ten that the server gives by itself.
import { openMemory } from '../../dist/index.js'
import { drawnEmbed } from '../drawn-embed.mjs'
import { row } from '../table.mjs'
import { openBare } from './bare.mjs'
import { inTurns, timed, wallMs } from './turns.mjs'

/** An entry has a vector for its text and one for its name. */
const VECTORS_EACH = 2
const SPARE = 1000

export async function recallingRows({ address, moved, workspace, texts, queries, at, barred }) {
  console.error('bench: recalling')
  const embed = drawnEmbed(VECTORS_EACH * texts.length + SPARE)
  const [ours, folder] = [await openMemory({ workspace: moved, embed }), await openMemory({ workspace, embed })]
  const embedding = { ours: await wallMs(() => embedAll(ours)), folder: await wallMs(() => embedAll(folder)) }
  const bare = await openBare(address, 'vectors')
  const vectors = await embed.embed(texts)
  const filled = await wallMs(() => bare.fill(texts, vectors))
  const asked = (round) => queries[round % queries.length]
  const by = (memory, mode) => timed((round) => memory.search(`${asked(round)} ${mode}`, { mode }))
  const taken = await inTurns(queries.length, {
    words: by(ours, 'lexical'),
    folderWords: by(folder, 'lexical'),
    meaning: by(ours, 'semantic'),
    folderMeaning: by(folder, 'semantic'),
    bare: timed(async (round) => bare.query((await embed.embed([asked(round)]))[0])),
  })
  await ours.close()
  await folder.close()
  const [words, meaning, kept] = ['recall by words on Chroma', 'recall by meaning on Chroma', 'vectors kept on Chroma']
  return [
    // Words are searched here; the server is only asked whether there is news.
    row(`${words} ${at}`, 'ms wall', taken.words, 'bare query', taken.bare, barred(2)),
    row(`${words} ${at}`, 'ms wall', taken.words, 'in a folder', taken.folderWords),
    // Whether there is news, a query for more than ten, as sure as an exact one, and the ranking.
    row(`${meaning} ${at}`, 'ms wall', taken.meaning, 'bare query', taken.bare, barred(4)),
    row(`${meaning} ${at}`, 'ms wall', taken.meaning, 'in a folder', taken.folderMeaning),
    row(`${kept} ${at}`, 'ms wall', embedding.ours, 'bare add, a vector for each', filled),
    row(`${kept} ${at}`, 'ms wall', embedding.ours, 'kept in a folder', embedding.folder),
  ]
}

async function embedAll(memory) {
  const { pending } = await memory.embed()
  if (pending > 0) throw new Error(`${pending} entries have no vectors`)
}
