/** The commands install and uninstall, run in the test's own process: for what a process of its own would add nothing to. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { vi } from 'vitest'
import { checkOperands, parseArguments } from '../../src/cli/arguments.ts'
import type { Command, Outcome } from '../../src/cli/command.ts'
import { install } from '../../src/cli/commands/install.ts'
import { uninstall } from '../../src/cli/commands/uninstall.ts'
import { GLOBAL_OPTIONS } from '../../src/cli/global-options.ts'
import { Screen } from '../../src/cli/screen.ts'
import { Desk } from './keepsake.ts'

const UNSET = [
  'CODEX_HOME',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
  'GEMINI_CLI_HOME',
  'KEEPSAKE_CONFIG',
  'KEEPSAKE_MCP_TOKEN',
  'CLAUDE_CONFIG_DIR',
]

/** A desk with a home, at which both commands run in this process. */
export class Installing {
  readonly desk: Desk = new Desk()
  readonly home: string = join(this.desk.folder, 'home')

  constructor() {
    mkdirSync(this.home)
    for (const name of UNSET) vi.stubEnv(name, '')
    vi.stubEnv('HOME', this.home)
  }

  install(...args: string[]): Promise<Outcome> {
    return this.#run(install, args)
  }

  uninstall(...args: string[]): Promise<Outcome> {
    return this.#run(uninstall, args)
  }

  async #run(command: Command, args: readonly string[]): Promise<Outcome> {
    const given = parseArguments(args, [...command.options, ...GLOBAL_OPTIONS])
    checkOperands(given, command)
    const { folder: cwd } = this.desk
    const screen = new Screen({ hasColor: false, cwd })
    const asked = { workspace: given.one('workspace'), agent: given.one('agent'), cwd }
    const open = (): Promise<never> => Promise.reject(new Error('no memory is opened'))
    return command.run({ given, asked, screen, open, openToWrite: open })
  }

  write(path: string, text: string | Uint8Array): string {
    const full = join(this.desk.folder, path)
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, text)
    return full
  }

  read(path: string): string {
    return readFileSync(join(this.desk.folder, path), 'utf8')
  }

  has(path: string): boolean {
    return existsSync(join(this.desk.folder, path))
  }
}
