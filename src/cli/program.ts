/** The command line from its arguments to its end: one answer to one call, printed in the form that was asked for, and a status. */
import { answer } from './answer.ts'
import { Report } from './report.ts'
import { verbMeant } from './verb-meant.ts'

export async function runProgram(args: readonly string[]): Promise<void> {
  const report = new Report(args)
  process.stdout.on('error', (error) => report.outputFailed(error))
  // A client that takes its hook's time away takes what it ended with for an answer all the same.
  const isHook = verbMeant(args) === 'hook'
  process.on('SIGINT', () => (isHook ? report.nothing() : report.interrupted()))
  if (isHook) process.on('SIGTERM', () => report.nothing())
  try {
    const outcome = await answer(args)
    report.outcome(outcome)
    await outcome.until
  } catch (error) {
    if (isHook) report.nothing()
    report.failure(error)
  }
}
