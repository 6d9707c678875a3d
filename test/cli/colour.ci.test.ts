/** When output is coloured: on a terminal that can show it, unless someone says otherwise. */
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { hasColor } from '../../src/cli/screen.ts'
import { Desk } from './keepsake.ts'

describe('colours', () => {
  it.each<[string, boolean, Readonly<Record<string, string>>, boolean]>([
    ['a terminal', true, { TERM: 'xterm' }, true],
    ['a terminal that does not say what it is', true, {}, true],
    ['a pipe', false, { TERM: 'xterm' }, false],
    ['a dumb terminal', true, { TERM: 'dumb' }, false],
    ['NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['a pipe that is forced', false, { FORCE_COLOR: '1' }, true],
    ['a dumb terminal that is forced', true, { TERM: 'dumb', FORCE_COLOR: '3' }, true],
    ['FORCE_COLOR against NO_COLOR', false, { NO_COLOR: '1', FORCE_COLOR: '1' }, true],
    ['a terminal that is forbidden by FORCE_COLOR', true, { FORCE_COLOR: '0' }, false],
  ])('for %s', (_, isTerminal, variables, expected) => {
    expect(hasColor(isTerminal, (name) => variables[name])).toBe(expected)
  })
})

const scriptWorks = spawnSync('sh', ['-c', 'script -qec true /dev/null']).status === 0
if (!scriptWorks) console.warn('SKIPPED: there is no script(1) of util-linux here, so no terminal to test colours with')

async function edited(): Promise<Desk> {
  const desk = await Desk.furnished()
  await desk.make(['remember', 'Run make ship twice.', '--name', 'Deploys'])
  return desk
}

const COLOURED = [
  '\u001b[36m@@ -1,1 +1,1 @@\u001b[39m',
  '\u001b[31m-Run make ship.\u001b[39m',
  '\u001b[32m+Run make ship twice.\u001b[39m',
].join('\n    ')

describe.concurrent('a diff', () => {
  async function onTerminal(desk: Desk, variables: string): Promise<string> {
    const { stdout } = await desk.shell(`${variables} script -qec '"$NODE" "$MAIN" log 5' /dev/null < /dev/null`)
    return stdout.replaceAll('\r\n', '\n')
  }

  it.skipIf(!scriptWorks)('is coloured on a terminal', async () => {
    expect(await onTerminal(await edited(), 'TERM=xterm')).toContain(`    ${COLOURED}\n`)
  })

  it.skipIf(!scriptWorks).each(['TERM=dumb', 'TERM=xterm NO_COLOR=1', 'TERM=xterm FORCE_COLOR=0'])(
    'is not with %s',
    async (variables) => {
      const shown = await onTerminal(await edited(), variables)
      expect(shown).toContain('    -Run make ship.\n    +Run make ship twice.\n')
      expect(shown).not.toContain('\u001b')
    },
  )

  it('is plain in a pipe, unless colours are forced', async () => {
    const desk = await edited()
    expect((await desk.run(['log', '5'])).stdout).not.toContain('\u001b')
    expect((await desk.run(['log', '5'], { env: { FORCE_COLOR: '1' } })).stdout).toContain(COLOURED)
  })

  it('never gets into JSON', async () => {
    const { stdout } = await (await edited()).run(['log', '5', '--json'], { env: { FORCE_COLOR: '1' } })
    expect(stdout).not.toContain('\u001b')
  })

  it('dims what was undone', async () => {
    const desk = await edited()
    await desk.make(['undo'])
    const { stdout } = await desk.run(['log'], { env: { FORCE_COLOR: '1' } })
    const undone = stdout.split('\n').find((line) => line.includes('(undone by 6)')) ?? ''
    expect([undone.startsWith('\u001b[2m5  '), undone.endsWith('\u001b[22m')]).toEqual([true, true])
  })
})
