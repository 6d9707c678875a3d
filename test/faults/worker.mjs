// The program that meets the faults. Prints a line per event, at once and whole: `ack` when a write was acknowledged, `fail`
// when it was refused, `view` with the memory as this process sees it after a refusal.
//   node worker.mjs FOLDER scenario NAME [retry]   the steps of one scenario; retry: again after a failure, and one more write
//   node worker.mjs FOLDER writer ID COUNT [wait]  COUNT writes of every kind, each told before (`try`) and after; wait: for
//                                                  the end of the input, so that several begin at once
//   node worker.mjs FOLDER checked ID COUNT        COUNT long texts that tell whether they are whole
//   node worker.mjs FOLDER lock ID COUNT           takes a lock COUNT times and fails when someone else has it too
import fs, { writeSync } from 'node:fs'
import { join } from 'node:path'
import { acquireLock } from '../../dist/stores/disk/lock.js'
import { fileScenarios } from './file-scenarios.mjs'
import { scenarios } from './scenarios.mjs'
import { openAs, stateOf } from './workspace.mjs'
import { writeChecked, writeMany } from './writer.mjs'

const [folder, mode, name, more, wait] = process.argv.slice(2)

function say(event, facts) {
  const line = Buffer.from(`${event} ${JSON.stringify(facts)}\n`)
  for (let done = 0; done < line.length; ) done += writeSome(line, done)
}

function writeSome(line, from) {
  try {
    return writeSync(1, line, from)
  } catch (error) {
    if (error.code !== 'EAGAIN') throw error
    return 0 // the pipe is full, and whoever reads it is slow
  }
}

async function attempt(opened, index, step) {
  try {
    const { warnings = [] } = (await step(opened)) ?? {}
    say('ack', { step: index, warnings })
    return true
  } catch (error) {
    say('fail', { step: index, name: error.name, code: error.code, hint: error.hint, message: error.message })
    return false
  }
}

/** From a step on; how many are done when one is refused, or all. Of those that are begun at once, all or none. */
async function once(opened, { steps, together }, from = 0) {
  if (together) {
    const done = await Promise.all(steps.map((step, index) => attempt(opened, index, step)))
    return done.every(Boolean) ? steps.length : 0
  }
  for (let index = from; index < steps.length; index++) {
    if (!(await attempt(opened, index, steps[index]))) return index
  }
  return steps.length
}

async function playScenario() {
  const scenario = [...scenarios, ...fileScenarios].find((known) => known.name === name)
  const opened = await openAs(2, folder)
  const done = await once(opened, scenario)
  const isRefused = done < scenario.steps.length
  if (isRefused) say('view', await stateOf(opened.store))
  if (more === 'retry') {
    if (isRefused) await once(opened, scenario, done)
    const last = () => attempt(opened, 'last', ({ memory }) => memory.remember('After the fault.', { name: 'After' }))
    // What is done when a store is closed comes after this: a fault there may meet it.
    if (!(await last())) await last()
  }
  await opened.store.close()
}

async function write() {
  if (wait === 'wait') {
    writeSync(1, 'ready\n')
    for await (const _ of process.stdin);
  }
  await writeMany({ folder, writer: name, count: Number(more), say })
}

// Stopped for a moment before any of the calls that the lock is made of, as a busy machine stops a process.
function stallNow() {
  if (Math.random() < 0.3) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 2)
}

async function lock() {
  for (const call of ['readdirSync', 'readlinkSync', 'symlinkSync', 'renameSync', 'unlinkSync']) {
    const real = fs[call]
    fs[call] = (...args) => {
      stallNow()
      return real(...args)
    }
  }
  const held = join(folder, 'held')
  fs.mkdirSync(folder, { recursive: true })
  for (let n = 0; n < Number(more); n++) {
    const lock = await acquireLock(join(folder, 'lock'), 60_000)
    fs.closeSync(fs.openSync(held, 'wx'))
    fs.unlinkSync(held)
    lock.release()
  }
}

const checked = () => writeChecked({ folder, writer: name, count: Number(more) })

void { scenario: playScenario, writer: write, checked, lock }[mode]()
