import { describe, expect, it } from 'vitest'
import { Desk } from './keepsake.ts'

async function blamedDesk(): Promise<Desk> {
  const desk = await Desk.furnished()
  await desk.make(['reflect', 'Be brief.\nBe kind.'])
  await desk.make(['reflect', 'Be brief.\nAsk first.\nBe kind.', '--session', 's1'])
  desk.edit('agents/main/MEMORY.md', 'Be brief.\nAsk first.\nBe kind.\nBy hand.\n')
  return desk
}

describe.concurrent('blame', () => {
  it('tells each line with the change that brought it', async () => {
    const { stdout } = await (await blamedDesk()).run(['blame', 'MEMORY'])
    expect(stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')).toBe(
      `5  TIME  agent main                Be brief.
6  TIME  agent main in session s1  Ask first.
5  TIME  agent main                Be kind.
7  TIME  hand                      By hand.
`,
    )
  })

  it('gives entry and lines as JSON', async () => {
    const printed = await (await blamedDesk()).json(['blame', 'MEMORY'])
    expect(Object.keys(printed)).toEqual(['entry', 'lines', 'status'])
    expect(printed.lines[1]).toEqual({
      line: 'Ask first.',
      change: 6,
      at: expect.stringMatching(/Z$/),
      origin: { by: 'agent', agent: 'main', session: 's1' },
    })
  })

  it('gives what an undo restored to whom it belonged to', async () => {
    const desk = await blamedDesk()
    await desk.make(['reflect', 'All new.'])
    await desk.make(['undo'])
    const { lines } = await desk.json(['blame', 'MEMORY'])
    expect(lines.map((line: { readonly change: number }) => line.change)).toEqual([5, 6, 5, 7])
  })

  it('does not know who wrote what is older than the history', async () => {
    const desk = await Desk.empty()
    desk.edit('world/old.md', 'Old.\n')
    await desk.make(['learn', 'old', 'Old.\nNew.'])
    const { stdout } = await desk.run(['blame', 'old'])
    expect(stdout).toMatch(/^.*Old\.\n.*agent main\s+New\.\n$/)
  })

  it('does not find what is not there', async () => {
    expect(await (await Desk.furnished()).json(['blame', 'nope'])).toMatchObject({
      status: 3,
      error: { code: 'NOT_FOUND' },
    })
  })
})
