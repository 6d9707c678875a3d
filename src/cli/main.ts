#!/usr/bin/env node
/**
 * The command line's beginning and end: one answer to one call, printed in the form that was asked for, and a status. What
 * is loaded to get there is the command that was called and what it needs, for a start must stay lean.
 */
import { answer } from './answer.ts'
import { Report } from './report.ts'

const args = process.argv.slice(2)
const report = new Report(args)

process.stdout.on('error', (error) => report.outputFailed(error))
process.on('SIGINT', () => report.interrupted())

try {
  report.outcome(await answer(args))
} catch (error) {
  report.failure(error)
}
