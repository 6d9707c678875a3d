// A whole memory in one file, opened as users open it and asked by words; an answer brings the texts of what was found. The bench of
// that store makes the file.
import { openMemory } from '../../../dist/index.js'

export async function load(file) {
  const memory = await openMemory({ workspace: file })
  return {
    search: async (words) => (await memory.search(words.join(' '), { mode: 'lexical' })).hits,
  }
}
