// Moves a folder to another one. With STOP, it ends itself the hard way at that step, as kill -9 would. Prints what became of it.
//   node move-adopter.mjs FROM TO [STOP]
import { filesystemStore } from '../../dist/stores/filesystem/store.js'

const [from, to, stop] = process.argv.slice(2)
const source = filesystemStore({ root: from })
const target = filesystemStore({ root: to })
const onProgress = (done) => {
  if (done === Number(stop)) process.kill(process.pid, 'SIGKILL')
}
try {
  await target.adopt(await source.image(), { onProgress })
  process.stdout.write('done')
} catch (error) {
  process.stdout.write(error.code)
}
