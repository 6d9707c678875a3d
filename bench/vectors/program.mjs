// An engine is a program of its own, in whatever language, spoken to in lines, so that all can take turns and none pays
// for another's heap. When it has its rows it says one line of JSON: {"buildMs"}, CPU time, and perhaps its {"node"}. A line
// "SETTING FIRST COUNT" asks so many of the queries; each is answered by a line "CPU_MS WALL_MS ROW…", the nearest row first.
import { spawn } from 'node:child_process'
import readline from 'node:readline'

export async function startProgram(command, args) {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? code))
  })
  // What it is told after its end: the missing answer says so.
  child.stdin.on('error', () => {})
  const nextLine = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`${command} ${args.join(' ')} ended with ${await ended}`)
    return value
  }
  return {
    ...JSON.parse(await nextLine()),
    async ask(setting, first, count) {
      child.stdin.write(`${setting} ${first} ${count}\n`)
      const answers = []
      while (answers.length < count) answers.push(parseAnswer(await nextLine()))
      return answers
    },
    async stop() {
      child.stdin.end()
      await ended
    },
  }
}

function parseAnswer(line) {
  const [cpuMs, wallMs, ...rows] = line.split(' ').map(Number)
  return { cpuMs, wallMs, rows }
}
