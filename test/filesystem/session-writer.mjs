// One of several processes that append to the same sessions. Waits for the end of its input, so that all begin at once; then
// COUNT turns to `chat`, each once the one before is acknowledged, and SWAPS steps of a counter by compare-and-swap. Prints
// how long the longest append took, and all of them.
//   node session-writer.mjs FOLDER NAME COUNT SWAPS
import { filesystemStore } from '../../dist/stores/filesystem/store.js'

const [root, writer, count, swaps] = process.argv.slice(2)
const store = filesystemStore({ root, timezone: 'UTC' })

async function append(n) {
  const text = `${writer} ${n} `.repeat(1 + ((n * 31) % 90))
  const turn = { writer, n, part: 0, text }
  await store.sessions.append('main', 'chat', n % 5 === 0 ? [turn, { ...turn, part: 1 }] : [turn])
}

async function step() {
  for (;;) {
    const { records = [], next = 0 } = (await store.sessions.readBefore('main', 'counter')) ?? {}
    const value = 1 + (records.at(-1)?.value ?? 0)
    try {
      return await store.sessions.append('main', 'counter', [{ writer, value }], { expectEnd: next })
    } catch (error) {
      if (error.code !== 'CONFLICT') throw error
    }
  }
}

process.stdout.write('ready\n')
for await (const _ of process.stdin);
const began = performance.now()
let longestMs = 0
for (let n = 0; n < Number(count); n++) {
  const before = performance.now()
  await append(n)
  longestMs = Math.max(longestMs, performance.now() - before)
}
const tookMs = performance.now() - began
for (let n = 0; n < Number(swaps); n++) await step()
await store.close()
process.stdout.write(`${JSON.stringify({ longestMs: Math.round(longestMs), tookMs: Math.round(tookMs) })}\n`)
