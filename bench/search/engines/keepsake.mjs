// Ours, by the functions that recall itself calls.
import fs from 'node:fs'
import { englishAnalyzer } from '../../../dist/search/analyzer.js'
import { parseQuery } from '../../../dist/search/query.js'
import { search } from '../../../dist/search/search.js'
import { SearchIndex } from '../../../dist/search/search-index.js'

const SCHEMA = { fields: ['text'], columns: [] }
const SCORING = { k1: 1.2, fields: [{ weight: 1, b: 0.75 }] }
const ANALYZER = englishAnalyzer()

export function build(passages) {
  const index = new SearchIndex(ANALYZER, SCHEMA)
  index.putAll(passages.map((text, id) => documentOf(id, text)))
  return engine(index)
}

export function load(file) {
  const opened = SearchIndex.open(fs.readFileSync(file), ANALYZER, SCHEMA)
  if ('problem' in opened) throw new Error(opened.problem)
  return engine(opened.index)
}

function engine(index) {
  return {
    search(words) {
      const matches = search({ indexes: [index], query: parseQuery(words.join(' '), ANALYZER), scoring: SCORING })
      return matches.top(10).map((doc) => Number(matches.id(doc)))
    },
    add: (id, text) => index.put(documentOf(id, text)),
    replace: (id, text) => index.put(documentOf(id, text)),
    remove: (id) => index.remove(String(id)),
    save: (file) => fs.writeFileSync(file, index.save('')),
  }
}

function documentOf(id, text) {
  return { id: String(id), texts: [text], columns: [], stored: '' }
}
