/** Real files in a folder of their own, for the tests of the configuration. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Config, type LoadOptions, loadConfig } from '../../src/config/load-config.ts'
import { isKeepsakeError, type KeepsakeError } from '../../src/errors.ts'
import { afterThisFile } from '../clean-up.ts'

export class Project {
  readonly folder: string = realpathSync(mkdtempSync(join(tmpdir(), 'keepsake-config-')))
  readonly file: string = join(this.folder, 'agent.yaml')

  constructor() {
    afterThisFile(() => rmSync(this.folder, { recursive: true, force: true }))
  }

  /** Lines of `spec.memory`; the first of them is line 3. */
  static with(...lines: readonly string[]): Project {
    return new Project().write(
      'agent.yaml',
      ['spec:', '  memory:', ...lines.map((line) => `    ${line}`), ''].join('\n'),
    )
  }

  write(path: string, content: string | Uint8Array): this {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true })
    writeFileSync(join(this.folder, path), content)
    return this
  }

  load(options: Partial<LoadOptions> = {}): Promise<Config> {
    return loadConfig({ from: this.folder, ...options })
  }
}

/** The error that a promise ends with. */
export async function refusalOf(promise: Promise<unknown>): Promise<KeepsakeError> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome && isKeepsakeError(outcome.error)) return outcome.error
  throw new Error(`not refused, or not by us: ${JSON.stringify(outcome)}`)
}
