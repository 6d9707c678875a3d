/** `keepsake completion`: the scripts in the shells that they are for, and what those ask behind the scenes. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { VERBS } from '../../src/cli/verbs.ts'
import { openMemory } from '../../src/index.ts'
import { ORIGINS } from '../../src/model/entry.ts'
import { KIND_NAMES } from '../../src/model/kinds.ts'
import { Desk, MAIN } from './keepsake.ts'

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
    ['nothing for a text', ['remember', ''], []],
    ['nothing after the last operand', ['show', 'Deploys', ''], []],
    ['nothing for a folder', ['show', '--workspace', ''], []],
    ['nothing after an unknown command', ['shwo', ''], []],
    ['another agent', ['show', '--agent', 'scout', ''], ['Staging server']],
    ['no name where there is no workspace', ['show', '--workspace', 'nowhere', ''], []],
    ['no name where there can be none', ['show', '--workspace', 'chroma://x', ''], []],
    ['no complaint about an agent', ['show', '--agent', 'a b', ''], []],
  ])('is %s', async (_, words, expected) => {
    expect(await candidates(furnished, words)).toEqual(expected)
  })

  it('is nothing where nobody asks for anything', async () => {
    const desk = await Desk.furnished()
    for (const args of [['__complete'], ['__complete', '--']]) {
      expect((await desk.run(args)).status).toBe(0)
    }
  })

  it('is at most 50 names, and none that would break a line', async () => {
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

/** Lines as they are typed, and what the command that they become prints. */
const TYPED: readonly (readonly [typed: string, prints: string])[] = [
  ['keepsake sho\tDeploys --quiet', 'Run make ship.'],
  ['keepsake show dep\t--quiet', 'Run make ship.'],
  ['keepsake show Sta\t--quiet', 'Its name is heron.'],
  ['keepsake show Staging\\ s\t--quiet', 'Its name is heron.'],
  ['keepsake show "Sta\t--quiet', 'Its name is heron.'],
  ["keepsake show 'Sta\t--quiet", 'Its name is heron.'],
  ['keepsake show it\t--quiet', 'text of it\'s "so" $HOME'],
  ['keepsake show "it\t--quiet', 'text of it\'s "so" $HOME'],
  ["keepsake show 'it\t--quiet", 'text of it\'s "so" $HOME'],
  ['keepsake show a:\t--quiet', 'text of a:b: c'],
  ['keepsake list --kind=to\t--quiet', 'Staging server'],
  ['keepsake list --kind to\t--quiet', 'Staging server'],
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

describe.skipIf(!hasFish).concurrent('the script for fish', () => {
  let shown: Awaited<ReturnType<typeof shellDesk>>
  beforeAll(async () => {
    shown = await shellDesk()
  })

  it.each([
    ['keepsake sho', ['show']],
    ['keepsake show dep', ['Deploys']],
    ['keepsake show Staging\\ s', ['Staging server']],
    ['keepsake show "Sta', ['Staging server']],
    ['keepsake show it', ['it\'s "so" $HOME']],
    ['keepsake show a:', ['a:b: c']],
    ['keepsake list --kind=to', ['--kind=topic']],
    ['keepsake list --kind to', ['topic']],
  ])('completes %s', async (typed, expected) => {
    const { desk, env } = shown
    const { stdout } = await desk.runProgram(
      'fish',
      ['--no-config', '-c', 'keepsake completion fish | source; complete -C $argv[1]', typed],
      { env },
    )
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.replace(/\t.*/, '')),
    ).toEqual(expected)
  })
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
