/** The command line from its arguments to its end: one answer to one call, printed in the form that was asked for, and a status. */
import { answer } from './answer.ts'
import { Report } from './report.ts'

export async function runProgram(args: readonly string[]): Promise<void> {
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
}
