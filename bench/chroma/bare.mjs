// Chroma as somebody uses it who wants no more than it gives: the official client, one collection. The texts stand in the metadata under
// vectors of one number, which is the least that a durable record takes; vectors that are asked for have a collection of their own.
import { ChromaClient } from 'chromadb'

const PER_REQUEST = 300

export async function openBare(address, name) {
  const { hostname, port } = new URL(address)
  const client = new ChromaClient({ host: hostname, port: Number(port), ssl: false })
  const collection = await client.getOrCreateCollection({
    name: `bare-${name}`,
    embeddingFunction: null,
    configuration: { hnsw: { space: 'cosine' } },
  })
  return {
    add: (id, text) => collection.add({ ids: [id], embeddings: [[1]], metadatas: [{ text }] }),
    get: async (ids) => (await collection.get({ ids, include: ['metadatas'] })).ids.length,
    query: (vector) => collection.query({ queryEmbeddings: [[...vector]], nResults: 10, include: ['distances'] }),
    /** `vectors`: one for each text, in their order. */
    async fill(texts, vectors) {
      for (let first = 0; first < texts.length; first += PER_REQUEST) {
        const some = texts.slice(first, first + PER_REQUEST)
        await collection.add({
          ids: some.map((_, index) => `${first + index}`),
          embeddings: some.map((_, index) => [...(vectors?.[first + index] ?? [1])]),
          metadatas: some.map((text) => ({ text })),
        })
      }
    },
    async getAll() {
      const texts = []
      for (let isMore = true; isMore; ) {
        const { metadatas } = await collection.get({
          limit: PER_REQUEST,
          offset: texts.length,
          include: ['metadatas'],
        })
        texts.push(...metadatas.map(({ text }) => text))
        isMore = metadatas.length === PER_REQUEST
      }
      return texts
    },
  }
}
