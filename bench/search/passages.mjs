// Cuts pages into distinct passages of about 60 words. Blocks are packed until a passage is full and long ones are cut,
// so that a passage reads like a note. What stands on many pages (titles of chapters, licences, "next" and "previous")
// is left out.
import fs from 'node:fs'
import path from 'node:path'
import { blocksOf } from './html-text.mjs'

const WORDS = 60
const FEWEST_WORDS = 30
const ON_TOO_MANY_PAGES = 8

export function passagesUnder(folder) {
  const pages = htmlFiles(folder).map((file) => blocksOf(fs.readFileSync(file, 'utf8')))
  const pagesWith = new Map()
  for (const blocks of pages) {
    for (const block of new Set(blocks)) pagesWith.set(block, (pagesWith.get(block) ?? 0) + 1)
  }
  const out = new Set()
  for (const blocks of pages) {
    const own = blocks.filter((block) => pagesWith.get(block) < ON_TOO_MANY_PAGES)
    for (const passage of pack(own)) out.add(passage)
  }
  return [...out]
}

/** In the order of their names: the same packages give the same passages everywhere. Links are not followed. */
function htmlFiles(folder) {
  const entries = fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  return entries.flatMap((entry) => {
    const full = path.join(folder, entry.name)
    if (entry.isDirectory()) return isEnglish(entry.name) ? htmlFiles(full) : []
    return entry.isFile() && isText(entry.name) ? [full] : []
  })
}

function isEnglish(folderName) {
  return folderName !== 'translations'
}

/** Pages, but neither the alphabetical indexes nor the lists of everything, which are no sentences. */
function isText(fileName) {
  return (
    /\.html?$/.test(fileName) &&
    !/^(genindex|index-|bookindex|search|py-modindex|allclasses|allpackages)/.test(fileName)
  )
}

function* pack(blocks) {
  let words = []
  for (const block of blocks) {
    words.push(...block.split(' '))
    while (words.length >= WORDS) {
      const end = words.length < WORDS * 1.25 ? words.length : WORDS
      yield words.slice(0, end).join(' ')
      words = words.slice(end)
    }
  }
  if (words.length >= FEWEST_WORDS) yield words.join(' ')
}
