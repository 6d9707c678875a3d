// Power cuts on a disk of its own: a writer outside it writes, the power goes at a random moment, the machine comes up again,
// and all that was acknowledged is there. Used by power-cut.ci.test.ts and torture.mjs.
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '../../dist/testing/random.js'
import { Accounts } from './accounts.mjs'
import { checkWorkspace } from './invariants.mjs'
import { pretendNewBoot } from './pretend.mjs'
import { startWriter } from './rounds.mjs'
import { isOneFile, rootIn, scratchFolder } from './workspace.mjs'

/** A fresh workspace every `rounds` cuts, so that first uses are cut too. Resolves to the writes acknowledged. */
export async function powerCuts({ disk, cuts, seed, store, rounds = 5, progress = () => {} }) {
  const random = seededRandom(seed)
  const folder = scratchFolder('cut')
  let acknowledged = 0
  let accounts = new Accounts()
  for (let cut = 0; cut < cuts; cut++) {
    if (cut % rounds === 0) accounts = new Accounts()
    const root = rootIn(join(disk.folder, `workspace-${Math.floor(cut / rounds)}`), store)
    const { stdout, promised } = await writeUntilCut({ disk, root, name: `w${cut}`, random })
    accounts.take(stdout, promised)
    disk.remount()
    if (!isOneFile(root)) pretendNewBoot(root)
    await checkWorkspace(root, { look: (found) => accounts.check(found), n: 3 + cut, clone: join(folder, 'clone') })
    if (cut % rounds === rounds - 1 || cut === cuts - 1) acknowledged += accounts.acknowledged
    progress(cut + 1)
  }
  rmSync(folder, { recursive: true })
  return acknowledged
}

async function writeUntilCut({ disk, root, name, random }) {
  const writer = startWriter(root, name, 100_000)
  await writer.ready
  writer.go()
  const lines = random.int(160)
  while (writer.lines() < lines && writer.child.exitCode === null) await pause(1)
  await pause(random.int(8))
  const promised = writer.lines()
  // The writer still runs, and its calls fail from here on. Its last lines promise nothing, since a sync that the cut itself
  // interrupts may still return as if all were well. Then it must go: it would hold the disk, or begin anew below it. The cut
  // blocks this process, so another one sees to that.
  const watcher = spawn('sh', ['-c', 'sleep 0.2; kill -9 "$0"', String(writer.child.pid)], { stdio: 'ignore' })
  disk.cut()
  writer.child.kill('SIGKILL')
  const { stdout } = await writer.ended
  watcher.kill('SIGKILL') // the number may soon be another's
  return { stdout, promised }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
