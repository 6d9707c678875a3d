/** `keepsake completion`: the script with which a shell completes commands, options and names. */
import { InvalidError } from '../../errors.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { SCRIPTS, SHELLS } from '../completion-scripts.ts'

export const completion: Command = {
  verb: 'completion',
  operands: [{ name: SHELLS.join('|') }],
  about: [
    'Prints a script for your shell. Once that is loaded, the Tab key completes commands, options, kinds, and the names',
    'of entries. Put the line of your shell into ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish.',
  ],
  options: [],
  examples: [
    'source <(keepsake completion bash)',
    'source <(keepsake completion zsh)',
    'keepsake completion fish | source',
  ],
  run,
}

async function run({ given }: Context): Promise<Outcome> {
  const asked = given.operand(0)
  const shell = SHELLS.find((known) => known === asked)
  if (!shell) throw new InvalidError('shell', `there is no completion for "${asked}"`, SHELLS.join(', '))
  const script = SCRIPTS[shell]
  return { json: { shell, script }, text: script, quietText: script, warnings: [] }
}
