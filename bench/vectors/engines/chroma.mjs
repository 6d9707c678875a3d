// Chroma's server over HTTP, with its own client. The setting is `ef_search`; a collection keeps the one it was made with, also
// when told otherwise, so each setting has a collection of its own. The server's CPU time is not known here: only the wall
// time of its answers says anything.
import { ChromaClient } from 'chromadb'

const MOST = 10
const PER_BATCH = 1000

export function open({ rows, vectorAt, address }) {
  const { hostname, port, protocol } = new URL(address)
  const client = new ChromaClient({ host: hostname, port: Number(port), ssl: protocol === 'https:' })
  const collections = new Map()
  const nameOf = (ef) => `keepsake-bench-${process.pid}-${ef}`
  return {
    async set(ef) {
      if (collections.has(ef)) return
      const configuration = { hnsw: { space: 'cosine', ef_search: ef } }
      const collection = await client.createCollection({ name: nameOf(ef), embeddingFunction: null, configuration })
      collections.set(ef, collection)
      for (let first = 0; first < rows; first += PER_BATCH) {
        const batch = Array.from({ length: Math.min(PER_BATCH, rows - first) }, (_, index) => first + index)
        await collection.add({ ids: batch.map(String), embeddings: batch.map((row) => [...vectorAt(row)]) })
      }
    },
    async top(query, ef) {
      const collection = collections.get(ef)
      const { ids } = await collection.query({ queryEmbeddings: [[...query]], nResults: MOST, include: ['distances'] })
      return ids[0].map(Number)
    },
    async close() {
      for (const ef of collections.keys()) await client.deleteCollection({ name: nameOf(ef) })
    },
  }
}
