/** `keepsake log`: what was changed, by whom and when, for people and for programs. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { jsonAt, makeAt, sitDownAt } from './in-this-process.ts'
import { Desk, type Printed } from './keepsake.ts'

beforeAll(() => sitDownAt(new Desk()))

function timeless(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')
}

function numbers({ changes }: Printed): number[] {
  return changes.map((change: Printed) => change.number)
}

describe.concurrent('log', () => {
  it('tells each change in a line: number, time, who, what; newest first', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['remember', 'Run make ship, then wait.', '--name', 'Deploys', '--session', 's1'])
    await makeAt(desk, ['rename', 'Posters', 'Prints'])
    await makeAt(desk, ['alias', 'Prints', 'placards'])
    await makeAt(desk, ['forget', 'Prints', '--yes'])
    expect(timeless((await desk.run(['log'])).stdout)).toBe(
      `8  TIME  agent main                removed the note "Prints"
7  TIME  agent main                gave the note "Prints" the alias "placards"
6  TIME  agent main                renamed the note "Posters" to "Prints"
5  TIME  agent main in session s1  rewrote the note "Deploys"
4  TIME  agent main                added the topic "Staging server"
3  TIME  agent main                added the note "Posters"
2  TIME  agent main                added the note "Deploys"
1  TIME  agent main                added the experience "The staging server moved."
`,
    )
  })

  it('lists a purge with its number, without what it removed', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['forget', 'Posters', '--purge', '--yes'])
    const line = '5  TIME  agent main  purged an entry\n'
    expect(timeless((await desk.run(['log', '--limit', '1'])).stdout)).toContain(line)
    expect(timeless((await desk.run(['log', '5'])).stdout)).toBe(line)
    expect((await jsonAt(desk, ['log', '5'])).changes).toEqual([
      {
        number: 5,
        at: expect.any(String),
        origin: { by: 'agent', agent: 'main' },
        operations: [],
        purged: ['main'],
        touched: [],
      },
    ])
    expect(numbers(await jsonAt(desk, ['log']))).toEqual([5, 4, 2, 1])
  })

  it("tells the time in the workspace's zone", async () => {
    const desk = await Desk.furnished()
    const [change] = (await jsonAt(desk, ['log', '--limit', '1'])).changes
    const local = new Intl.DateTimeFormat('sv-SE', {
      timeZone: 'Europe/Berlin',
      dateStyle: 'short',
      timeStyle: 'short',
    }).format(new Date(change.at))
    expect((await desk.run(['log', '--limit', '1'])).stdout).toContain(`4  ${local}  agent main`)
  })

  it('marks what was undone, and names the undo', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['undo'])
    const { stdout } = await desk.run(['log', '--limit', '2'])
    expect(timeless(stdout)).toBe(
      `5  TIME  undo of 4   removed the topic "Staging server"
4  TIME  agent main  added the topic "Staging server" (undone by 5)
There are older ones: ask for more with --limit.
`,
    )
    const { changes } = await jsonAt(desk, ['log', '--limit', '2'])
    expect(changes).toMatchObject([
      { number: 5, origin: { by: 'undo', agent: 'main' }, reverts: [4] },
      { number: 4, origin: { by: 'agent', agent: 'main' }, undoneBy: 5 },
    ])
    expect(changes.map((change: Printed) => Object.keys(change).join(' '))).toEqual([
      'number at origin operations reverts',
      'number at origin operations undoneBy',
    ])
  })

  it('tells what a hand did', async () => {
    const desk = await Desk.furnished()
    const topic = readFileSync(join(desk.workspace, 'world/staging-server.md'), 'utf8')
    desk.edit('world/staging-server.md', topic.replace('heron', 'crane'))
    rmSync(join(desk.workspace, 'agents/main/entries/posters.md'))
    const { stdout } = await desk.run(['log', '--by', 'hand', '--diff'])
    expect(stdout).toContain('hand')
    expect(stdout).toContain('rewrote the topic "Staging server"')
    expect(stdout).toContain('    -Its name is heron.\n    +Its name is crane.\n')
    expect(stdout).toContain('removed the note "Posters"')
  })

  it.each([
    [['Deploys'], [5, 2]],
    [['releases'], [5, 2]],
    [['--session', 's1'], [5]],
    [['--by', 'undo'], []],
    [
      ['--limit', '2'],
      [5, 4],
    ],
    [
      ['--since', '1h'],
      [5, 4, 3, 2, 1],
    ],
    [['--until', '1h'], []],
    [['--until', '2020-01-01'], []],
    [
      ['--since', 'yesterday', '--until', 'today'],
      [5, 4, 3, 2, 1],
    ],
    [['2'], [2]],
  ])('chooses: %j', async (args, expected) => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['remember', 'Changed.', '--name', 'Deploys', '--session', 's1'])
    expect(numbers(await jsonAt(desk, ['log', ...args]))).toEqual(expected)
  })

  it('finds the changes of an entry that is gone', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['forget', 'Deploys', '--yes'])
    expect(numbers(await jsonAt(desk, ['log', 'Deploys']))).toEqual([5, 2])
  })

  it('shows one change with what became of the texts', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['remember', 'Run make ship.\nWatch the graphs.', '--name', 'Deploys'])
    expect(timeless((await desk.run(['log', '5'])).stdout)).toBe(
      `5  TIME  agent main  rewrote the note "Deploys"
    @@ -1,1 +1,2 @@
     Run make ship.
    +Watch the graphs.
`,
    )
    const [change] = (await jsonAt(desk, ['log', '5'])).changes
    expect(change.touched).toMatchObject([
      { before: { content: 'Run make ship.' }, after: { content: 'Run make ship.\nWatch the graphs.' } },
    ])
  })

  it("leaves out what other agents did to their own, and shows what they did to the world's", async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['remember', 'secret', '--agent', 'scout'])
    await makeAt(desk, ['learn', 'Staging server', 'Its name is ibis.', '--agent', 'scout'])
    const { stdout } = await desk.run(['log'])
    expect(stdout).not.toContain('secret')
    expect(timeless(stdout)).toContain('6  TIME  agent scout  rewrote the topic "Staging server"\n')
  })

  it('has nothing to say where nothing was written', async () => {
    const desk = await Desk.empty()
    expect((await desk.run(['log'])).stdout).toBe('There is no such change.\n')
    expect(await jsonAt(desk, ['log'])).toEqual({ changes: [], status: 0 })
  })

  it.each([
    [['log', '99'], 3, /^there is no change 99$/],
    [['log', 'nope'], 3, /^nothing here is called "nope"$/],
    [['log', '2', '--by', 'hand'], 2, /^change 2 is one; --by chooses among many$/],
    [['log', '--by', 'me'], 2, /^by: "me" is not an origin$/],
    [['log', '--limit', '0'], 2, /^limit: 0 is not allowed$/],
    [['log', '--since', 'soon'], 2, /^since: "soon" is not a date$/],
  ])('refuses %j', async (args, status, says) => {
    expect(await (await Desk.furnished()).json(args)).toMatchObject({
      status,
      error: { message: expect.stringMatching(says) },
    })
  })
})
