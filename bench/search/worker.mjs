// One engine in a process of its own, told by messages what to do next; so the steps of all engines can take turns, and
// none pays for another's heap. Every time is CPU time of this whole process, its garbage collector and compiler
// included.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keepsake-bench-'))
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
process.on('disconnect', () => process.exit())

const { build, load } = await import(`./engines/${process.argv[2]}.mjs`)
const { passages } = process.argv[3] ? JSON.parse(fs.readFileSync(process.argv[3], 'utf8')) : {}
let engine

const steps = {
  async build() {
    return cpuMs(async () => {
      engine = await build(passages, folder)
    })
  },

  async warm({ queries, forMs }) {
    const before = process.cpuUsage()
    do for (const words of queries) await engine.search(words)
    while (process.cpuUsage(before).user < forMs * 1000)
  },

  async query({ queries }) {
    const times = []
    for (const words of queries) {
      let hits
      times.push(await cpuMs(async () => (hits = await engine.search(words))))
      if (hits.length === 0) throw new Error(`found nothing for "${words.join(' ')}", though a passage has these words`)
    }
    return times
  },

  /** Each write is done when a query for a word that only it knows gives the right answer. */
  async write({ first, count }) {
    const out = { add: [], replace: [], remove: [] }
    for (let id = first; id < first + count; id++) {
      const [text, otherText] = [passages[(id * 7) % passages.length], passages[(id * 11) % passages.length]]
      const [word, otherWord] = [`qzadd${letters(id)}`, `qzreplace${letters(id)}`]
      out.add.push(await until([word], id, () => engine.add(id, `${text} ${word}`)))
      out.replace.push(await until([otherWord], id, () => engine.replace(id, `${otherText} ${otherWord}`)))
      out.remove.push(await until([otherWord], undefined, () => engine.remove(id)))
    }
    return out
  },

  async save({ file }) {
    await engine.save(file)
    return fs.statSync(file).size
  },

  async load({ file, words }) {
    const before = process.memoryUsage.rss()
    let hits
    const ms = await cpuMs(async () => {
      engine = await load(file)
      hits = await engine.search(words)
    })
    if (hits.length === 0) throw new Error(`found nothing for "${words.join(' ')}" after loading`)
    return { ms, grownBytes: process.memoryUsage.rss() - before }
  },
}

process.on('message', async ({ step, ...args }) => {
  try {
    process.send({ value: await steps[step](args) })
  } catch (error) {
    process.send({ error: `${process.argv[2]}, ${step}: ${error.stack}` })
  }
})
process.send({ value: { node: process.version, sqlite: process.versions.sqlite } })

async function cpuMs(run) {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function until(words, expected, write) {
  let found
  const ms = await cpuMs(async () => {
    await write()
    found = await engine.search(words)
  })
  if (found[0] !== expected) throw new Error(`a search for ${words} gave ${found}, not ${expected}`)
  return ms
}

/** A number without digits, so that no tokenizer cuts the word that it is put into. */
function letters(number) {
  return [...String(number)].map((digit) => 'bcdfghjklm'[digit]).join('')
}
