// A workspace of real text: every second passage is a note with a file of its own, the others stand in the logs of a hundred
// days.
import { openMemory } from '../dist/index.js'

const PER_BATCH = 100

export async function fillWorkspace(workspace, passages) {
  const memory = await openMemory({ workspace })
  for (let first = 0; first < passages.length; first += PER_BATCH) {
    const batch = passages.slice(first, first + PER_BATCH)
    await memory.apply(batch.map((content, index) => entry(memory.agent, first + index, content)))
  }
  await memory.close()
}

function entry(scope, number, content) {
  if (number % 2 === 0) return { op: 'add', scope, kind: 'note', name: `Note ${number}`, content }
  const createdAt = new Date(Date.UTC(2026, 0, 1 + (number % 100), 12)).toISOString()
  return { op: 'add', scope, kind: 'experience', createdAt, content }
}
