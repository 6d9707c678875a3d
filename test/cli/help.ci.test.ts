import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { GROUPS, VERBS } from '../../src/cli/verbs.ts'
import { allCommands } from './all-commands.ts'
import { jsonHere } from './in-this-process.ts'
import { Desk, type Ran } from './keepsake.ts'

const COMMANDS = await allCommands()

function golden(name: string): string {
  return resolve(import.meta.dirname, `golden/${name}.txt`)
}

describe('help', () => {
  const desk = new Desk()
  let everything: Ran
  beforeAll(async () => {
    everything = await desk.run(['--help'])
  })

  it('of everything is what the golden file says', async () => {
    const { status, stdout, stderr } = everything
    expect([status, stderr]).toEqual([0, ''])
    await expect(stdout).toMatchFileSnapshot(golden('help'))
  })

  it.each([[[]], [['help']], [['-h']], [['help', '--quiet']]])('is shown for %j too', async (args) => {
    expect(await desk.run(args)).toEqual(everything)
  })

  it.each(COMMANDS)('of $words is what the golden file says', async ({ words }) => {
    const verb = words.split(' ')
    const { help } = await jsonHere([...verb, '--help'])
    await expect(`${help}\n`).toMatchFileSnapshot(golden(`help-${verb.join('-')}`))
    expect((await jsonHere(['help', ...verb])).help).toBe(help)
    expect(help.split('\n').filter((line: string) => line.length > 120)).toEqual([])
  })

  it.each([
    ['show', '--help'],
    ['session', 'append', '--help'],
    ['help', 'backup'],
  ])('is printed by a process for %s %s %s, and nothing else is', async (...args) => {
    const name = args.filter((word) => !word.includes('help')).join('-')
    expect(await desk.run(args)).toEqual({
      status: 0,
      stdout: readFileSync(golden(`help-${name}`), 'utf8'),
      stderr: '',
    })
  })

  it.each(['exit-codes', 'environment'])('of %s is what the golden file says', async (topic) => {
    const { status, stdout, stderr } = await desk.run(['help', topic])
    expect([status, stderr]).toEqual([0, ''])
    await expect(stdout).toMatchFileSnapshot(golden(`help-${topic}`))
    expect((await jsonHere(['help', topic])).help).toBe(stdout.trimEnd())
  })

  it('has no empty group', () => {
    const used = [...VERBS.values()].map(({ group }) => group)
    expect(GROUPS.filter((group) => !used.includes(group))).toEqual([])
  })

  it('names every command', () => {
    for (const verb of VERBS.keys()) expect(everything.stdout).toMatch(new RegExp(`^  ${verb} `, 'm'))
  })

  it('is one JSON object when that is asked for', async () => {
    expect((await desk.json(['--help'])).help).toContain('Usage: keepsake COMMAND')
    expect((await desk.json(['show', '--help'])).help).toContain('Usage: keepsake show REF')
  })

  it('writes nothing anywhere', async () => {
    expect(desk.hash()).toBe(new Desk().hash())
  })
})

describe('the version', () => {
  const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8'))

  it.each([[['--version']], [['show', '--version']]])('is shown for %j', async (args) => {
    expect(await new Desk().run(args)).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('is one JSON object when that is asked for', async () => {
    expect((await new Desk().json(['--version'])).version).toBe(version)
  })
})
