// Orama with its defaults (BM25, no stemming, every word also as a prefix), any of the words. It keeps the texts as
// well.
import fs from 'node:fs'
import * as orama from '@orama/orama'

const SCHEMA = { text: 'string' }

export async function build(passages) {
  const db = orama.create({ schema: SCHEMA })
  await orama.insertMultiple(
    db,
    passages.map((text, id) => ({ id: String(id), text })),
    1000,
  )
  return engine(db)
}

export function load(file) {
  const db = orama.create({ schema: SCHEMA })
  orama.load(db, JSON.parse(fs.readFileSync(file, 'utf8')))
  return engine(db)
}

function engine(db) {
  return {
    async search(words) {
      const { hits } = await orama.search(db, { term: words.join(' '), limit: 10 })
      return hits.map((hit) => Number(hit.id))
    },
    add: (id, text) => orama.insert(db, { id: String(id), text }),
    replace: (id, text) => orama.update(db, String(id), { id: String(id), text }),
    remove: (id) => orama.remove(db, String(id)),
    save: (file) => fs.writeFileSync(file, JSON.stringify(orama.save(db))),
  }
}
