// What a whole Node process costs, from its start to its end: CPU time, clean environment.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'

export function processCpuMs(args) {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const started = cpuOfChildren()
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr || stdout}`)
  return cpuOfChildren() - started
}

/** Milliseconds of CPU of the ended children of this process: fields 16 and 17 of its own stat, in ticks of 10 ms. */
function cpuOfChildren() {
  const stat = fs.readFileSync('/proc/self/stat', 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
}
