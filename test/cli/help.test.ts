import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Desk } from './keepsake.ts'

const VERBS = ['init', 'remember', 'recall', 'learn', 'reflect', 'forget', 'rename', 'alias', 'show', 'list']

function golden(name: string): string {
  return resolve(import.meta.dirname, `golden/${name}.txt`)
}

describe('help', () => {
  const desk = new Desk()

  it('of everything is what the golden file says', async () => {
    const { status, stdout, stderr } = desk.run(['--help'])
    expect([status, stderr]).toEqual([0, ''])
    await expect(stdout).toMatchFileSnapshot(golden('help'))
  })

  it.each([[[]], [['help']], [['-h']], [['help', '--quiet']]])('is shown for %j too', (args) => {
    expect(desk.run(args)).toEqual({ status: 0, stdout: desk.run(['--help']).stdout, stderr: '' })
  })

  it.each(VERBS)('of %s is what the golden file says', async (verb) => {
    const { status, stdout, stderr } = desk.run([verb, '--help'])
    expect([status, stderr]).toEqual([0, ''])
    await expect(stdout).toMatchFileSnapshot(golden(`help-${verb}`))
    expect(desk.run(['help', verb]).stdout).toBe(stdout)
  })

  it('names every command, and fits a screen', () => {
    const { stdout } = desk.run(['--help'])
    for (const verb of VERBS) expect(stdout).toMatch(new RegExp(`^  ${verb} `, 'm'))
    const lines = VERBS.flatMap((verb) => desk.run([verb, '--help']).stdout.split('\n'))
    expect([...stdout.split('\n'), ...lines].filter((line) => line.length > 120)).toEqual([])
  })

  it('is one JSON object when that is asked for', () => {
    expect(desk.json(['--help']).help).toContain('Usage: keepsake COMMAND')
    expect(desk.json(['show', '--help']).help).toContain('Usage: keepsake show REF')
  })

  it('writes nothing anywhere', () => {
    expect(desk.hash()).toBe(new Desk().hash())
  })
})

describe('the version', () => {
  const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8'))

  it.each([[['--version']], [['show', '--version']]])('is shown for %j', (args) => {
    expect(new Desk().run(args)).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('is one JSON object when that is asked for', () => {
    expect(new Desk().json(['--version']).version).toBe(version)
  })
})
