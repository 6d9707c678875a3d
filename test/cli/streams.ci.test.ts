/** Standard input, output and error, terminals and signals. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Desk, ended, isReading } from './keepsake.ts'
import { terminalAt } from './terminal.ts'

describe.concurrent('standard input', () => {
  it('may be long, and come in pieces that split characters', async () => {
    const desk = await Desk.empty()
    const text = 'Käse 🦁 '.repeat(40_000).trim()
    const bytes = Buffer.from(text)
    const child = desk.start(['remember', '-', '--name', 'long', '--json'])
    for (let at = 0; at < bytes.length; at += 65_537) child.stdin.write(bytes.subarray(at, at + 65_537))
    child.stdin.end()
    expect(JSON.parse((await ended(child)).stdout).entry.content).toBe(text)
    expect((await desk.run(['show', 'long', '--quiet'])).stdout).toBe(`${text}\n`)
  })

  it('is not read when the text is given', async () => {
    const desk = await Desk.empty()
    const child = desk.start(['remember', 'x', '--quiet'])
    expect(await ended(child)).toEqual({ status: 0, stdout: '', stderr: '' })
  })
})

describe.concurrent('standard output', () => {
  it('that nobody reads any more ends the command quietly', async () => {
    const desk = await Desk.empty()
    await desk.make(['remember', '-', '--name', 'long'], { input: 'line\n'.repeat(400_000) })
    const shown = await desk.shell('set -o pipefail; "$NODE" "$MAIN" show long | head -n 1', 'bash')
    expect(shown).toEqual({ status: 0, stdout: 'long (note)\n', stderr: '' })
    const listed = await desk.shell('set -o pipefail; "$NODE" "$MAIN" list --json | head -c 12', 'bash')
    expect(listed).toEqual({ status: 0, stdout: '{"entries":[', stderr: '' })
    expect((await desk.shell('set -o pipefail; "$NODE" "$MAIN" show nope --json | true', 'bash')).status).toBe(3)
  })

  it('has the warnings of every command as JSON', async () => {
    const desk = await Desk.furnished()
    const { warnings } = await desk.json(['install', 'claude', '--http'])
    expect(warnings).toEqual([expect.stringContaining('contains the token of the server')])
  })

  it('and error that nobody reads leave the status', async () => {
    const desk = await Desk.furnished()
    expect((await desk.shell('set -o pipefail; "$NODE" "$MAIN" show nope 2>&1 | true', 'bash')).status).toBe(3)
  })

  it.skipIf(!existsSync('/dev/full'))('that is full is a failure', async () => {
    const desk = await Desk.furnished()
    const { status, stderr } = await desk.shell('"$NODE" "$MAIN" list > /dev/full')
    expect(status).toBe(1)
    expect(stderr).toMatch(/^keepsake: the output could not be written: ENOSPC/)
  })

  it('gets every byte of a text with --raw', async () => {
    const desk = await Desk.empty()
    const text = 'red \u001b[31m bell \u0007 back \rover \u009b31m'
    await desk.make(['remember', '-', '--name', 'raw'], { input: text })
    expect((await desk.run(['show', 'raw', '--raw'])).stdout).toBe(`${text}\n`)
    expect((await desk.json(['show', 'raw'])).entry.content).toBe(text)
  })
})

const scriptWorks = spawnSync('sh', ['-c', 'script -qec true /dev/null']).status === 0
if (!scriptWorks) console.warn('SKIPPED: there is no script(1) of util-linux here, so no terminal to test with')

describe.skipIf(!scriptWorks).concurrent('a terminal', () => {
  async function onTerminal(
    desk: Desk,
    command: string,
    input = '',
  ): Promise<{ status: number | null; shown: string }> {
    const { status, stdout } = await desk.shell(
      `printf '${input}' | TERM=xterm script -qec '"$NODE" "$MAIN" ${command}' /dev/null`,
    )
    return { status, shown: stdout.replaceAll('\r\n', '\n') }
  }

  it('gets colours, and sees what it would have obeyed', async () => {
    const desk = await Desk.empty()
    await desk.make(['remember', '-', '--name', 'raw'], { input: 'red \u001b[31m bell \u0007 tab\tok' })
    const { shown } = await onTerminal(desk, 'show raw')
    expect(shown).toContain('\u001b[1mraw\u001b[22m (note)\n')
    expect(shown).toContain('\nred <U+001B>[31m bell <U+0007> tab\tok\n')
  })

  it('gets none where NO_COLOR is set', async () => {
    const desk = await Desk.furnished()
    const { stdout } = await desk.shell(
      `NO_COLOR=1 TERM=xterm script -qec '"$NODE" "$MAIN" list' /dev/null < /dev/null`,
    )
    expect(stdout).toContain('Deploys')
    expect(stdout).not.toContain('\u001b')
  })

  it('is asked before anything is removed', async () => {
    const desk = await Desk.furnished()
    const no = await onTerminal(desk, 'forget Deploys', 'n\\n')
    expect(no.shown).toContain(
      'Remove the note "Deploys" in .keepsake/agents/main/entries/deploys.md: "Run make ship."? [y/N] ',
    )
    expect(no.shown).toContain('keepsake: nothing was removed\n')
    expect(no.status).toBe(2)
    expect((await desk.run(['show', 'Deploys'])).status).toBe(0)
    expect(await onTerminal(desk, 'forget Deploys', 'y\\n')).toMatchObject({
      status: 0,
      shown: expect.stringContaining('Forgot the note'),
    })
    expect((await desk.run(['show', 'Deploys'])).status).toBe(3)
  })

  it('is asked about one entry, and no other is purged that has its name by now', async () => {
    const desk = await Desk.furnished()
    const terminal = terminalAt(desk, 'forget Deploys --purge', {})
    await terminal.see('[y/N] ')
    await desk.make(['rename', 'Deploys', 'Old deploys'])
    await desk.make(['alias', 'Old deploys', 'Deploys', '--drop'])
    await desk.make(['remember', 'Run make all.', '--name', 'Deploys'])
    terminal.type('y\r')
    await terminal.see('nothing was removed')
    expect(await terminal.ended()).toBe(4)
    for (const name of ['Deploys', 'Old deploys']) expect((await desk.run(['show', name])).status).toBe(0)
  })
})

describe.concurrent('an interruption', () => {
  it.each([
    ['for people', [], '', 'keepsake: interrupted\nWhat was being written is there as a whole or not at all.\n'],
    ['as JSON', ['--json'], '{"error":{"code":"INTERRUPTED",', ''],
  ])('ends with 130 and changes nothing: %s', async (_, flags, printed, complained) => {
    const desk = await Desk.furnished()
    const before = desk.hash()
    // Standard input stays open: the command waits for the rest of it.
    const child = desk.start(['remember', '-', ...flags])
    await isReading(child)
    child.kill('SIGINT')
    const { status, stdout, stderr } = await ended(child)
    expect(status).toBe(130)
    expect(stdout.startsWith(printed)).toBe(true)
    expect(stderr).toBe(complained)
    expect(desk.hash()).toBe(before)
  })
})
