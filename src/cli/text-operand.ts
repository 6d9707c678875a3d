/** A text from the command line; `-` stands for standard input, which must be UTF-8. */
import { InvalidError } from '../errors.ts'

export async function textOperand(operand: string): Promise<string> {
  if (operand !== '-') return operand
  const bytes = await standardInput()
  try {
    // A byte order mark is a character of the text like any other.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new InvalidError('standard input', 'is not UTF-8', 'text in UTF-8')
  }
}

export async function standardInput(): Promise<Uint8Array> {
  if (process.stdin.isTTY) process.stderr.write('Type the text; end it with Ctrl-D on a line of its own.\n')
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return Buffer.concat(chunks)
}
