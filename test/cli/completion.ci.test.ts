/** `keepsake completion`: the scripts in the shells that they are for, and what those ask behind the scenes. */

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { VERBS } from '../../src/cli/verbs.ts'
import { openMemory } from '../../src/index.ts'
import { ORIGINS } from '../../src/model/entry.ts'
import { KIND_NAMES } from '../../src/model/kinds.ts'
import { isNightly } from '../tier.ts'
import { jsonHere, sitDownAt } from './in-this-process.ts'
import { Desk, MAIN, type Printed } from './keepsake.ts'

/** Told by the code that the process below runs, since there are many cases and a process takes long. */
async function candidatesHere(words: readonly string[]): Promise<string[]> {
  const { candidates } = await jsonHere(['__complete', '--', ...words])
  return candidates.map(({ value }: Printed) => value)
}

async function candidates(desk: Desk, words: readonly string[]): Promise<string[]> {
  const { status, stdout, stderr } = await desk.run(['__complete', '--', ...words])
  expect([status, stderr]).toEqual([0, ''])
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/\t.*/, ''))
}

describe.concurrent('what could stand at the cursor', () => {
  // One for all: to ask changes nothing, as is proved below.
  let furnished: Desk
  beforeAll(async () => {
    furnished = await Desk.furnished()
    const memory = await openMemory({ workspace: furnished.workspace })
    for (const key of ['chat', 'later chat']) await memory.session(key).append({ role: 'user', content: 'Hello' })
    await memory.close()
    sitDownAt(furnished)
  })

  it.each<[string, readonly string[], readonly string[]]>([
    ['commands', [''], [...VERBS.keys(), 'help']],
    ['a command', ['und'], ['undo']],
    ['a command after options', ['--agent', 'main', '--quiet', 'und'], ['undo']],
    ['a command to be helped with', ['help', 'und'], ['undo']],
    ['a page of help', ['help', 'exi'], ['exit-codes']],
    ['an option', ['undo', '--with'], ['--with-later']],
    ['an option of every command', ['undo', '--works'], ['--workspace']],
    ['an option that may come again', ['list', '--kind', 'note', '--k'], ['--kind']],
    ['no option that was given', ['list', '--since', 'today', '--si'], []],
    ['kinds', ['list', '--kind', ''], KIND_NAMES],
    ['a kind behind its sign', ['list', '--kind=no'], ['--kind=note']],
    ['origins', ['undo', '--by', ''], ORIGINS],
    ['dates', ['list', '--since', 'y'], ['yesterday']],
    ['a layout', ['init', '--layout', 'f'], ['flat']],
    ['shells', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['names, then aliases', ['show', ''], ['Deploys', 'Posters', 'Staging server', 'releases']],
    ['a name in another case', ['show', 'stag'], ['Staging server']],
    ['a name after two dashes', ['show', '--', 'De'], ['Deploys']],
    ['topics alone', ['learn', ''], ['Staging server']],
    ['commands of a family', ['session', 're'], ['reset']],
    ['a command of a family after options', ['session', '--quiet', 'imp'], ['import']],
    ['a command of a family to be helped with', ['help', 'session', 'wi'], ['window']],
    ['an option of a command of a family', ['session', 'compact', 'chat', '--su'], ['--summary']],
    ['roles', ['session', 'append', 'chat', '--role', 'a'], ['assistant']],
    ['sessions', ['session', 'show', ''], ['later chat', 'chat']],
    ['nothing after an unknown command of a family', ['session', 'shwo', ''], []],
    ['nothing for a text', ['remember', ''], []],
    ['nothing after the last operand', ['show', 'Deploys', ''], []],
    ['nothing for a folder', ['show', '--workspace', ''], []],
    ['nothing after an unknown command', ['shwo', ''], []],
    ['another agent', ['show', '--agent', 'scout', ''], ['Staging server']],
    ['no name where there is no workspace', ['show', '--workspace', 'nowhere', ''], []],
    ['no name where there can be none', ['show', '--workspace', 'chroma://x', ''], []],
    ['no complaint about an agent', ['show', '--agent', 'a b', ''], []],
  ])('is %s', async (_, words, expected) => {
    expect(await candidatesHere(words)).toEqual(expected)
  })

  it('is printed by a process, a line each', async () => {
    expect(await candidates(furnished, ['show', ''])).toEqual(['Deploys', 'Posters', 'Staging server', 'releases'])
  })

  it('is nothing where nobody asks for anything', async () => {
    const desk = await Desk.furnished()
    for (const args of [['__complete'], ['__complete', '--']]) {
      expect((await desk.run(args)).status).toBe(0)
    }
  })

  it('is no name that would break a line', async () => {
    const desk = await Desk.empty()
    for (const key of ['chat', 'two\nlines']) await desk.make(['session', 'append', key, '--role', 'user', 'Hello.'])
    expect(await candidates(desk, ['session', 'show', ''])).toEqual(['chat'])
  })

  it('is at most 50 names', async () => {
    const desk = await Desk.empty()
    for (let index = 0; index < 60; index++) desk.edit(`agents/main/entries/note-${index}.md`, `text ${index}\n`)
    expect(await candidates(desk, ['show', 'note'])).toHaveLength(50)
  })

  it('is asked without anything being written', async () => {
    const desk = await Desk.furnished()
    desk.edit('agents/main/entries/hand.md', 'By hand.\n')
    const before = desk.hash()
    expect(await candidates(desk, ['show', 'ha'])).toEqual(['hand'])
    expect(desk.hash()).toBe(before)
  })

  it('is no command of the help', async () => {
    expect((await new Desk().run(['--help'])).stdout).not.toContain('__complete')
  })
})

function works(line: string): boolean {
  return spawnSync('sh', ['-c', line]).status === 0
}

const hasScript = works('script -qec true /dev/null')

/** A desk with the command in its path, and names that a shell must quote. */
async function shellDesk(): Promise<{ desk: Desk; env: Readonly<Record<string, string>> }> {
  const desk = await Desk.furnished()
  const memory = await openMemory({ workspace: desk.workspace })
  for (const name of ['it\'s "so" $HOME', 'a:b: c']) await memory.remember(`text of ${name}`, { name })
  await memory.close()
  const bin = join(desk.folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'keepsake'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`)
  chmodSync(join(bin, 'keepsake'), 0o755)
  return { desk, env: { PATH: `${bin}:${process.env['PATH']}`, TERM: 'dumb', PS1: '$ ' } }
}

type Typed = readonly [typed: string, prints: string]

/** What the lines below do too, each in a simpler way. */
const SIMPLER: readonly Typed[] = [
  ['keepsake show dep\t--quiet', 'Run make ship.'],
  ['keepsake show Sta\t--quiet', 'Its name is heron.'],
  ['keepsake show "Sta\t--quiet', 'Its name is heron.'],
  ["keepsake show 'Sta\t--quiet", 'Its name is heron.'],
  ['keepsake list --kind to\t--quiet', 'Staging server'],
]

/** Lines as they are typed, and what the command that they become prints. */
const TYPED: readonly Typed[] = [
  ['keepsake sho\tDeploys --quiet', 'Run make ship.'],
  ['keepsake show Staging\\ s\t--quiet', 'Its name is heron.'],
  ['keepsake show it\t--quiet', 'text of it\'s "so" $HOME'],
  ['keepsake show "it\t--quiet', 'text of it\'s "so" $HOME'],
  ["keepsake show 'it\t--quiet", 'text of it\'s "so" $HOME'],
  ['keepsake show a:\t--quiet', 'text of a:b: c'],
  ['keepsake list --kind=to\t--quiet', 'Staging server'],
  ...(isNightly ? SIMPLER : []),
]

/** Types it all into a shell on a terminal, and gives what was printed after each line was entered. */
async function typeInto(shell: string, setUp: string, lines: readonly string[]): Promise<string[]> {
  const { desk, env } = await shellDesk()
  const typed = [setUp, ...lines.flatMap((line, index) => [`echo "<${index}>"`, line]), 'echo "<end>"', 'exit']
  const input = typed.map((line) => `${line}\n`).join('')
  const { stdout } = await desk.runProgram('script', ['-qec', shell, '/dev/null'], { env, input })
  const shown = stdout.replaceAll('\r', '')
  return lines.map((_, index) => {
    const next = index + 1 === lines.length ? 'end' : String(index + 1)
    const from = shown.lastIndexOf(`\n<${index}>\n`)
    return from === -1 ? '' : shown.slice(from, shown.lastIndexOf(`\n<${next}>\n`))
  })
}

interface ShellCase {
  readonly shell: string
  readonly probe: string
  readonly start: string
  readonly setUp: string
}

const SHELL_CASES: readonly ShellCase[] = [
  {
    shell: 'bash',
    probe: 'bash -c "complete -p >/dev/null 2>&1; type complete"',
    start: 'bash --norc --noprofile -i',
    setUp: 'source <(keepsake completion bash)',
  },
  {
    shell: 'zsh',
    probe: 'zsh -fc "autoload -Uz +X compinit && zmodload zsh/complete"',
    start: 'zsh -f -i',
    setUp: 'autoload -Uz compinit; compinit -u -D; source <(keepsake completion zsh)',
  },
]

describe.each(SHELL_CASES)('the script for $shell', ({ shell, probe, start, setUp }) => {
  const lack = !hasScript
    ? 'there is no script(1) of util-linux here'
    : works(probe)
      ? undefined
      : `there is no ${shell} here`
  if (lack !== undefined) console.warn(`SKIPPED: completion in ${shell}: ${lack}`)
  let printed: string[] = []

  beforeAll(async () => {
    if (lack !== undefined) return
    const lines = TYPED.map(([typed]) => typed)
    printed = await typeInto(start, setUp, lines)
  }, 60_000)

  it
    .skipIf(lack !== undefined)
    .each(TYPED.map(([typed, prints], index) => [JSON.stringify(typed), prints, index] as const))(
    'makes of %s a command that prints %s',
    (_, prints, index) => {
      expect(printed[index]).toContain(prints)
    },
  )
})

const hasFish = works('fish --no-config -c true')
if (!hasFish) console.warn('SKIPPED: completion in fish: there is no fish here')

/** What is typed, and what fish is told could stand there. */
const IN_FISH: readonly (readonly [typed: string, expected: readonly string[]])[] = [
  ['keepsake sho', ['show']],
  ['keepsake show dep', ['Deploys']],
  ['keepsake show Staging\\ s', ['Staging server']],
  ['keepsake show "Sta', ['Staging server']],
  ['keepsake show it', ['it\'s "so" $HOME']],
  ['keepsake show a:', ['a:b: c']],
  ['keepsake list --kind=to', ['--kind=topic']],
  ['keepsake list --kind to', ['topic']],
]

describe.skipIf(!hasFish)('the script for fish', () => {
  const ASK = 'keepsake completion fish | source; for typed in $argv; echo "<"; complete -C $typed; end'
  let answers: string[][] = []

  beforeAll(async () => {
    if (!hasFish) return
    const { desk, env } = await shellDesk()
    const typed = IN_FISH.map(([line]) => line)
    const { stdout } = await desk.runProgram('fish', ['--no-config', '-c', ASK, ...typed], { env })
    answers = stdout
      .split('<\n')
      .slice(1)
      .map((answer) =>
        answer
          .trim()
          .split('\n')
          .map((line) => line.replace(/\t.*/, '')),
      )
  })

  it.each(IN_FISH.map(([typed, expected], index) => [typed, expected, index] as const))(
    'completes %s',
    (_, expected, index) => {
      expect(answers[index]).toEqual(expected)
    },
  )
})

describe.concurrent('keepsake completion', () => {
  it.each(['bash', 'zsh', 'fish'])('gives the script for %s as JSON, too', async (shell) => {
    const desk = new Desk()
    const { stdout } = await desk.run(['completion', shell])
    expect(await desk.json(['completion', shell])).toEqual({ shell, script: stdout.trimEnd(), status: 0 })
  })

  it('of another shell is refused', async () => {
    expect(await new Desk().json(['completion', 'tcsh'])).toMatchObject({
      status: 2,
      error: { message: 'shell: there is no completion for "tcsh"', hint: 'Allowed: bash, zsh, fish.' },
    })
  })
})
