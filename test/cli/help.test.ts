import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { GROUPS, VERBS } from '../../src/cli/verbs.ts'
import { Desk, type Ran } from './keepsake.ts'

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

  it.each([...VERBS.keys()])('of %s is what the golden file says', async (verb) => {
    const { status, stdout, stderr } = await desk.run([verb, '--help'])
    expect([status, stderr]).toEqual([0, ''])
    await expect(stdout).toMatchFileSnapshot(golden(`help-${verb}`))
    expect((await desk.run(['help', verb])).stdout).toBe(stdout)
    expect(stdout.split('\n').filter((line) => line.length > 120)).toEqual([])
  })

  it.each(['exit-codes', 'environment'])('of %s is what the golden file says', async (topic) => {
    const { status, stdout, stderr } = await desk.run(['help', topic])
    expect([status, stderr]).toEqual([0, ''])
    await expect(stdout).toMatchFileSnapshot(golden(`help-${topic}`))
    expect((await desk.json(['help', topic])).help).toBe(stdout.trimEnd())
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
