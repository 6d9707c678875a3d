#!/usr/bin/env node
/**
 * What Node starts: loads the program, with the code that an earlier call of the same command has compiled, and runs it. Imports
 * nothing of it, for that would be compiled before.
 */
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { CompiledCode } from './compiled-code.ts'

/** Other programs call these again and again, and wait. */
const CALLED_OFTEN: readonly string[] = ['hook', 'recall', 'context', 'remember', 'show', 'list']

// Such a command is over before optimised code would pay for itself: V8 spent a third of a recall's CPU time on compiling it. Code
// that really runs long is still optimised, a little later. And what is collected of so small a heap is not worth waking other
// threads for. The V8 of other versions complains about a flag that it does not know.
const PATIENTLY = '--interrupt-budget=4000000 --no-parallel-scavenge'
/** For what may serve for long: off the way to its first answer, but not for good. */
const CALMLY = '--interrupt-budget=500000'
const AS_USUAL = '--interrupt-budget=67584 --parallel-scavenge'
const setFlag = process.versions.v8.startsWith('11.') ? setFlagsFromString : () => undefined

async function main(args: readonly string[]): Promise<void> {
  const [verb = ''] = args
  const code = CALLED_OFTEN.includes(verb) ? new CompiledCode(import.meta.dirname, verb) : undefined
  void process.stdout
  if (verb === 'hook') void process.stdin
  // Not sooner, and not for longer: compiled code, Node's own included, is taken only under the flags that it was made with.
  code?.load(join(import.meta.dirname, 'chunk.js'), () => setFlag(PATIENTLY))
  const { runProgram } = await import('./program.ts')
  setFlag(code ? PATIENTLY : CALMLY)
  await runProgram(args)
  setFlag(AS_USUAL)
  if (!process.exitCode) code?.keep()
}

main(process.argv.slice(2))
