// What an entry takes: on the server's disk, without and with vectors, and in a process that has searched.
import fs from 'node:fs'
import path from 'node:path'
import { openMemory } from '../../dist/index.js'
import { drawnEmbed } from '../drawn-embed.mjs'
import { row } from '../table.mjs'
import { memoryInProcess } from './processes.mjs'

const MEGABYTE = 1_000_000

/** `data`: the server's folder; missing where it is not ours, and then nothing is known of it. */
export async function sizesRows({ data, placeOf, texts, moved, workspace, query, at }) {
  if (data === undefined) return []
  console.error('bench: sizes')
  const place = placeOf('sizes')
  const empty = placeOf('small')
  const memory = await openMemory({ workspace: place, embed: drawnEmbed(texts.length) })
  const before = bytesIn(data)
  const operations = texts.map((content, n) => ({
    op: 'add',
    scope: memory.agent,
    kind: 'note',
    name: `Text ${n}`,
    content,
  }))
  for (let first = 0; first < operations.length; first += 500) await memory.apply(operations.slice(first, first + 500))
  const written = bytesIn(data)
  await memory.embed()
  const embedded = bytesIn(data)
  await memory.close()
  const small = await openMemory({ workspace: empty })
  await small.remember(`${texts[0]} ${query}`)
  await small.close()
  const each = (bytes) => bytes / texts.length
  const text = each(texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0))
  const ofSmall = memoryInProcess({ workspace: empty, query }) / MEGABYTE
  return [
    row(`on the server ${at}`, 'bytes an entry', each(written - before), 'its text', text),
    row(`vectors on the server ${at}`, 'bytes an entry', each(embedded - written), 'its text', text),
    row(
      `memory of a process ${at}`,
      'MB',
      memoryInProcess({ workspace: moved, query }) / MEGABYTE,
      'with one entry',
      ofSmall,
    ),
    row(
      `memory of a process ${at}, in a folder`,
      'MB',
      memoryInProcess({ workspace, query }) / MEGABYTE,
      'on Chroma with one',
      ofSmall,
    ),
  ]
}

function bytesIn(folder) {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .reduce((sum, { parentPath, name }) => sum + fs.statSync(path.join(parentPath, name)).size, 0)
}
