// MiniSearch with its defaults (BM25+, no stemming), any of the words.
import fs from 'node:fs'
import MiniSearch from 'minisearch'

const OPTIONS = { fields: ['text'], searchOptions: { combineWith: 'OR' } }

export function build(passages) {
  const index = new MiniSearch(OPTIONS)
  index.addAll(passages.map((text, id) => ({ id, text })))
  return engine(index)
}

export function load(file) {
  return engine(MiniSearch.loadJSON(fs.readFileSync(file, 'utf8'), OPTIONS))
}

function engine(index) {
  return {
    search: (words) =>
      index
        .search(words.join(' '))
        .slice(0, 10)
        .map((hit) => hit.id),
    add: (id, text) => index.add({ id, text }),
    replace: (id, text) => index.replace({ id, text }),
    remove: (id) => index.discard(id),
    save: (file) => fs.writeFileSync(file, JSON.stringify(index)),
  }
}
