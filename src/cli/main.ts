#!/usr/bin/env node
/**
 * The command line's beginning and end: one answer to one call, printed in the form that was asked for, and a status. What
 * is loaded to get there is the command that was called and what it needs, for a start must stay lean.
 */
import { setFlagsFromString } from 'node:v8'
import { answer } from './answer.ts'
import { Report } from './report.ts'

// A command is over before optimised code would pay for itself: V8 spent a third of a recall's CPU time on compiling it. Code
// that really runs long is still optimised, a little later. The V8 of other versions complains about a flag that it does not know.
if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=500000')

const args = process.argv.slice(2)
const report = new Report(args)

process.stdout.on('error', (error) => report.outputFailed(error))
process.on('SIGINT', () => report.interrupted())

try {
  const outcome = await answer(args)
  report.outcome(outcome)
  await outcome.until
} catch (error) {
  report.failure(error)
}
