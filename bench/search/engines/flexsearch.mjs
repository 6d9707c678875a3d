// FlexSearch with its defaults but `fastupdate`, without which a replace walks the whole index. `suggest` makes any of
// the words enough. It does not rank by BM25 but by where a word stands in the passage.
import fs from 'node:fs'
import FlexSearch from 'flexsearch'

const OPTIONS = { tokenize: 'strict', fastupdate: true }

export function build(passages) {
  const index = new FlexSearch.Index(OPTIONS)
  for (const [id, text] of passages.entries()) index.add(id, text)
  return engine(index)
}

/** Without `fastupdate`, for it can not import into such an index: what is loaded here is only searched. */
export async function load(file) {
  const index = new FlexSearch.Index({ ...OPTIONS, fastupdate: false })
  for (const [key, data] of JSON.parse(fs.readFileSync(file, 'utf8'))) await index.import(key, data)
  return engine(index)
}

function engine(index) {
  return {
    search: (words) => index.search(words.join(' '), { limit: 10, suggest: true }) ?? [],
    add: (id, text) => index.add(id, text),
    replace: (id, text) => index.update(id, text),
    remove: (id) => index.remove(id),
    async save(file) {
      const parts = []
      await index.export((key, data) => {
        parts.push([key, data])
      })
      fs.writeFileSync(file, JSON.stringify(parts))
    },
  }
}
