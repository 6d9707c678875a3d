// The engines that are reached from Node, as program.mjs wants them:
//   node worker.mjs ENGINE DATA ROWS DIMENSIONS [ADDRESS]    ADDRESS: of a server, for the engine that has one
// CPU time is that of this whole process, its garbage collector and compiler included.
import fs from 'node:fs'
import readline from 'node:readline'

const [name, file, rowCount, dimensionCount, address] = process.argv.slice(2)
const [rows, dimensions] = [Number(rowCount), Number(dimensionCount)]
const bytes = fs.readFileSync(file)
const floats = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
const vectorAt = (index) => floats.subarray(index * dimensions, (index + 1) * dimensions)

const { open } = await import(`./engines/${name}.mjs`)
const before = process.cpuUsage()
const engine = await open({ rows, dimensions, vectors: floats.subarray(0, rows * dimensions), vectorAt, address })
console.log(JSON.stringify({ buildMs: cpuMsSince(before), node: process.version }))

for await (const line of readline.createInterface({ input: process.stdin })) {
  const [setting, first, count] = line.split(' ').map(Number)
  await engine.set?.(setting)
  for (let query = first; query < first + count; query++) {
    const vector = vectorAt(rows + query)
    const [cpu, wall] = [process.cpuUsage(), performance.now()]
    const found = await engine.top(vector, setting)
    const [cpuMs, wallMs] = [cpuMsSince(cpu), performance.now() - wall]
    console.log([cpuMs, wallMs, ...found].join(' '))
  }
}
await engine.close?.()

function cpuMsSince(start) {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}
