// Writes three notes to a memory in one file, prints how each write ended, and kills itself without closing the memory.
//   node failed-commit.mjs PATH
import { writeSync } from 'node:fs'
import { fileStore } from '../../dist/stores/file/store.js'

const store = fileStore({ path: process.argv[2] })
for (const name of ['one', 'two']) {
  const batch = {
    operations: [{ op: 'add', scope: 'main', kind: 'note', name, content: name }],
    origin: { by: 'user' },
  }
  const outcome = await store.apply(batch).then(
    () => 'saved',
    ({ code, hint }) => `${code}: ${hint}`,
  )
  writeSync(1, `${name}: ${outcome}\n`)
}
process.kill(process.pid, 'SIGKILL')
