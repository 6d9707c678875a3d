/**
 * `doctor`, asked by a server for its page: in a process of its own, because to look at every file takes long, and nobody else's answer is
 * to wait for that.
 */
import { execFile } from 'node:child_process'
import type { DoctorAnswer, Finding } from '../api/contract.ts'
import { isKeepsakeError, KeepsakeError } from '../errors.ts'
import type { Context } from './command.ts'

const LONGEST_MS = 300_000
const MOST_BYTES = 64 * 1024 * 1024
/** A sick memory has as many as it has files. */
const MOST_FINDINGS = 500

/** As `keepsake doctor` would look at the same memory. */
export function doctorProcess({ given, asked }: Context, program: string): () => Promise<DoctorAnswer> {
  const config = given.one('config')
  const args = [
    ...(asked.workspace === undefined ? [] : ['--workspace', asked.workspace]),
    ...(asked.agent === undefined ? [] : ['--agent', asked.agent]),
    ...(config === undefined ? [] : ['--config', config]),
  ]
  let underWay: Promise<DoctorAnswer> | undefined
  // Who asks meanwhile gets the same answer: each look takes a core.
  return () => {
    underWay ??= outputOf([program, 'doctor', '--json', ...args], asked.cwd)
      .then(answerOf)
      .finally(() => {
        underWay = undefined
      })
    return underWay
  }
}

function outputOf(args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, timeout: LONGEST_MS, maxBuffer: MOST_BYTES }
    execFile(process.execPath, args, options, (error, stdout) => {
      // Damage is a failure of the memory, not of the look at it: what was found is told all the same.
      if (stdout !== '') resolve(stdout)
      else reject(new KeepsakeError('IO', 'the look at the files was cut short', { cause: error }))
    })
  })
}

function answerOf(text: string): DoctorAnswer {
  const { problems, checked, error } = parsed(text)
  if (error) return { findings: [], checked: 0, unsupported: error.message }
  const findings = problems.slice(0, MOST_FINDINGS).map(
    ({ code, severity, problem, hint, path }): Finding => ({
      ...{ code, severity, message: problem, hint },
      ...(path === '' ? {} : { path }),
    }),
  )
  return { findings, checked: checked.files }
}

interface Printed {
  readonly problems: readonly (Omit<Finding, 'message'> & { readonly problem: string; readonly path: string })[]
  readonly checked: { readonly files: number }
  readonly error?: { readonly message: string }
}

function parsed(text: string): Printed {
  try {
    return JSON.parse(text) as Printed // our own program's
  } catch (cause) {
    if (isKeepsakeError(cause)) throw cause
    throw new KeepsakeError('IO', 'the look at the files was cut short', { cause })
  }
}
