/** `keepsake undo`, `forget` and `accept`: what goes and how it comes back. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { jsonAt, jsonHere, makeAt, sitDownAt } from './in-this-process.ts'
import { Desk, type Printed } from './keepsake.ts'

beforeAll(() => sitDownAt(new Desk()))

function timeless(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')
}

async function contentOf(desk: Desk, ref: string, agent = 'main'): Promise<string | undefined> {
  return (await jsonAt(desk, ['show', ref, '--agent', agent])).entry?.content
}

describe.concurrent('undo', () => {
  it('takes back the newest change, says what it did, and how to bring it back', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['remember', 'Run make ship.\nWait.', '--name', 'Deploys'])
    expect(timeless((await desk.run(['undo'])).stdout)).toBe(
      `Undid:
  5  TIME  agent main  rewrote the note "Deploys"
    @@ -1,2 +1,1 @@
     Run make ship.
    -Wait.
That is change 6. To take it back: keepsake undo 6
`,
    )
    expect(await contentOf(desk, 'Deploys')).toBe('Run make ship.')
    await makeAt(desk, ['undo', '6'])
    expect(await contentOf(desk, 'Deploys')).toBe('Run make ship.\nWait.')
  })

  it('passes over what a cleanup removed, and says so where that is asked for', async () => {
    const desk = await Desk.empty()
    const anHourAgo = Date.now() - 3_600_000
    const memory = await openMemory({ workspace: desk.workspace, clock: () => anHourAgo })
    await memory.remember('keep me', { name: 'keepme' })
    await memory.remember('short', { kind: 'context', key: 't', ttl: '1s' })
    await memory.close()
    expect((await jsonAt(desk, ['cleanup'])).deleted).toBe(1)
    const { stdout, stderr } = await desk.run(['undo', '2'])
    expect(timeless(stdout)).toBe(
      'Nothing to do, all is as it was before:\n  2  TIME  agent main  only what has expired since\n',
    )
    expect(stderr).toBe('keepsake: warning: context "t" has expired and was removed since: it stays so\n')
    expect(await jsonAt(desk, ['undo'])).toMatchObject({ undone: [1], entries: [{ name: 'keepme' }] })
  })

  it('gives the change, the numbers of what was undone, and the entries as JSON', async () => {
    const desk = await Desk.furnished()
    const printed = await jsonAt(desk, ['undo', '2', '3'])
    expect(printed).toMatchObject({
      change: { number: 5, origin: { by: 'undo', agent: 'main' }, reverts: [2, 3] },
      undone: [2, 3],
      status: 0,
    })
    expect(printed.entries.map((entry: Printed) => entry.name).sort()).toEqual(['Deploys', 'Posters'])
    expect(Object.keys(printed)).toEqual(['change', 'undone', 'entries', 'status'])
    expect(await contentOf(desk, 'Posters')).toBeUndefined()
  })

  it('twice takes back two', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['undo'])
    await makeAt(desk, ['undo'])
    expect((await jsonAt(desk, ['list'])).entries.map((entry: Printed) => entry.name)).toEqual([null, 'Deploys'])
  })

  it.each([
    [
      ['--last', '2'],
      [3, 4],
    ],
    [['--session', 's1'], [5]],
    [['--by', 'agent', '--since', '1h', '--session', 's1'], [5]],
    [
      ['1', '3'],
      [1, 3],
    ],
    [
      ['2', '--with-later'],
      [2, 5],
    ],
  ])('chooses: %j', async (args, expected) => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['remember', 'Changed.', '--name', 'Deploys', '--session', 's1'])
    if (args.includes('--last')) await makeAt(desk, ['undo', '5'])
    expect((await jsonAt(desk, ['undo', ...args])).undone).toEqual(expected)
  })

  it('only tried, changes nothing and tells what would be', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['remember', 'Changed.', '--name', 'Deploys'])
    const before = desk.hash()
    const { stdout } = await desk.run(['undo', '--dry-run'])
    expect(timeless(stdout)).toBe(
      `Would undo:
  5  TIME  agent main  rewrote the note "Deploys"
    @@ -1,1 +1,1 @@
    -Changed.
    +Run make ship.
Nothing was changed.
`,
    )
    const printed = await jsonAt(desk, ['undo', '2', '--with-later', '--dry-run'])
    expect(printed).toMatchObject({ undone: [2, 5], dryRun: true, entries: [{ name: 'Deploys', content: 'Changed.' }] })
    expect(printed.change).toBeUndefined()
    expect(desk.hash()).toBe(before)
  })

  it('of a change that a later one builds on is refused, naming it; with the later ones it is done', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['remember', 'Changed.', '--name', 'Deploys'])
    const refused = await desk.run(['undo', '2'])
    expect(refused.status).toBe(4)
    expect(refused.stderr).toContain("change 2 can't be undone alone: change 5 came later")
    expect(refused.stderr).toContain('--with-later')
    expect(await jsonAt(desk, ['undo', '2'])).toMatchObject({ status: 4, error: { code: 'CONFLICT' } })
    await makeAt(desk, ['undo', '2', '--with-later'])
    expect(await contentOf(desk, 'Deploys')).toBeUndefined()
  })

  it('leaves an external edit alone, and gives its number', async () => {
    const desk = await Desk.furnished()
    const file = join(desk.workspace, 'agents/main/entries/deploys.md')
    const text = readFileSync(file, 'utf8')
    rmSync(file)
    const { stdout, stderr } = await desk.run(['undo'])
    expect(timeless(stdout)).toMatch(/^Undid:\n {2}4 /)
    expect(stderr).toBe('keepsake: warning: change 5 is an external edit and was not undone; undo it by its number\n')
    await makeAt(desk, ['undo', '5'])
    expect(readFileSync(file, 'utf8')).toBe(text)
    await makeAt(desk, ['undo', '--last', '3'])
    desk.edit('agents/main/entries/new.md', 'by hand\n')
    expect(await jsonAt(desk, ['undo'])).toMatchObject({
      status: 3,
      error: { hint: 'To undo the newest external edit: keepsake undo 9' },
    })
  })

  it('stops at a purge, and says how to undo the change before it', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['remember', 'the passphrase is xyzzy-plugh', '--name', 'Secret'])
    await makeAt(desk, ['forget', 'Secret', '--purge', '--yes'])
    const before = desk.hash()
    const refused = await desk.run(['undo'])
    expect([refused.status, refused.stderr]).toEqual([
      4,
      "keepsake: change 6 is a purge and can't be undone\nTo undo the change before it: keepsake undo 4\n",
    ])
    expect(desk.hash()).toBe(before)
    expect((await jsonAt(desk, ['undo', '4'])).undone).toEqual([4])
  })

  it('reverts the confirmation of a fact in its file', async () => {
    const desk = await Desk.empty()
    await makeAt(desk, ['remember', 'likes tea', '--kind', 'fact', '--name', 'Tea'])
    await makeAt(desk, ['remember', 'unrelated', '--name', 'U'])
    const fact = async (): Promise<Printed> => (await jsonAt(desk, ['show', 'Tea'])).entry
    const before = await fact()
    const text = readFileSync(join(desk.workspace, before.path), 'utf8')
    await makeAt(desk, ['remember', 'likes tea', '--kind', 'fact', '--name', 'Tea'])
    expect((await fact()).updatedAt).not.toBe(before.updatedAt)
    expect(timeless((await desk.run(['undo'])).stdout)).toBe(
      `Undid:
  3  TIME  agent main  wrote the fact "Tea" as it was
That is change 4. To take it back: keepsake undo 4
`,
    )
    expect(await fact()).toEqual(before)
    expect(readFileSync(join(desk.workspace, before.path), 'utf8')).toBe(text)
    expect((await jsonAt(desk, ['undo'])).undone).toEqual([2])
  })

  it('shortens a long diff', async () => {
    const desk = await Desk.furnished()
    const text = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n')
    await desk.make(['remember', '-', '--name', 'Deploys'], { input: text })
    expect((await desk.run(['undo'])).stdout).toContain('    … 90 more lines\n')
  })

  it.each([
    [['undo', 'deploys'], 2, /^change: "deploys" is not the number of a change$/],
    [['undo', '99'], 3, /^change 99 is not known/],
    [['undo', '2', '--last', '1'], 2, /^the number of a change and --last contradict each other$/],
    [['undo', '--last', '0'], 2, /^last: 0 is not allowed$/],
    [['undo', '--by', 'hand'], 3, /^there is no such change/],
  ])('refuses %j', async (args, status, says) => {
    const desk = await Desk.furnished()
    const before = desk.hash()
    expect(await jsonAt(desk, args)).toMatchObject({ status, error: { message: expect.stringMatching(says) } })
    expect(desk.hash()).toBe(before)
  })
})

describe.concurrent('forget', () => {
  it('says how to bring the entry back, and that works', async () => {
    const desk = await Desk.furnished()
    const { stdout } = await desk.run(['forget', 'Deploys', '--yes'])
    expect(stdout).toContain('\nTo bring it back: keepsake undo 5\n')
    await makeAt(desk, ['undo', '5'])
    expect(await contentOf(desk, 'releases')).toBe('Run make ship.')
  })

  it.each([[[]], [['--purge']]])('only tried, removes nothing: %j', async (args) => {
    const desk = await Desk.furnished()
    const before = desk.hash()
    const { status, stdout } = await desk.run(['forget', 'Deploys', '--dry-run', ...args])
    expect(status).toBe(0)
    const [every, namesakes] =
      args.length === 0 ? ['', ''] : ['every version of ', ', and every forgotten entry with this name']
    expect(stdout).toMatch(
      new RegExp(
        `^Would remove ${every}the note "Deploys" in .*: "Run make ship\\."${namesakes}\nNothing was removed\\.\n$`,
      ),
    )
    expect(await jsonAt(desk, ['forget', 'Deploys', '--dry-run', ...args])).toMatchObject({
      entry: { name: 'Deploys' },
      dryRun: true,
    })
    expect(desk.hash()).toBe(before)
  })

  it('with --purge leaves no trace, and tells what it can not reach', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['remember', 'the passphrase is xyzzy-plugh', '--name', 'Secret'])
    await makeAt(desk, ['remember', 'the passphrase is gone', '--name', 'Secret'])
    expect(tracesOf(desk, 'xyzzy-plugh')).not.toEqual([])
    expect((await jsonAt(desk, ['forget', 'Secret', '--purge'])).status).toBe(2)
    const { status, stdout } = await desk.run(['forget', 'Secret', '--purge', '--yes'])
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^Purged the note "Secret"\. This can't be undone\.\nCleaned:\n( {2}.+\n)+Out of reach, .*:\n( {2}.+\n)+$/,
    )
    expect(tracesOf(desk, 'xyzzy-plugh')).toEqual([])
    expect(tracesOf(desk, 'the passphrase')).toEqual([])
    expect(await contentOf(desk, 'Deploys')).toBe('Run make ship.')
  })

  it('with --purge removes the traces of what was forgotten before', async () => {
    const desk = await Desk.furnished()
    await makeAt(desk, ['remember', 'the passphrase is xyzzy-plugh', '--name', 'Secret'])
    await makeAt(desk, ['forget', 'Secret', '--yes'])
    expect(tracesOf(desk, 'xyzzy-plugh')).not.toEqual([])
    await makeAt(desk, ['forget', 'Secret', '--purge', '--yes'])
    expect(tracesOf(desk, 'xyzzy-plugh')).toEqual([])
    expect(await jsonAt(desk, ['forget', 'Secrets', '--purge', '--yes'])).toMatchObject({ status: 3 })
  })

  it('with --purge gives what was cleaned and what was not as JSON', async () => {
    const printed = await (await Desk.furnished()).json(['forget', 'Deploys', '--purge', '--yes'])
    expect(Object.keys(printed)).toEqual(['entry', 'cleaned', 'occurrences', 'outOfReach', 'status'])
    expect(printed.outOfReach.length).toBeGreaterThan(0)
  })
})

describe.concurrent('forget --purge', () => {
  it('does not change other places with the same words, and lists each with its command', async () => {
    const desk = await Desk.empty()
    await makeAt(desk, [
      'session',
      'append',
      "bob's chat",
      '--role',
      'user',
      'the content of the box',
      '--agent',
      'bob',
    ])
    await makeAt(desk, ['session', 'append', 'chat', '--role', 'user', 'what is the content?'])
    await makeAt(desk, ['remember', 'The content of another note', '--name', 'Copy', '--agent', 'bob'])
    const { id } = (await jsonAt(desk, ['show', 'Copy', '--agent', 'bob'])).entry ?? {}
    writeFileSync(join(desk.workspace, 'notes.txt'), 'content')
    const before = readFileSync(join(desk.workspace, 'agents/bob/sessions/bob%27s%20chat.jsonl'), 'utf8')
    for (const form of ['text', '--quiet', '--json']) {
      await makeAt(desk, ['remember', 'content', '--name', 'Word'])
      const options = form === 'text' ? [] : [form]
      const { stdout } = await desk.run(['forget', 'Word', '--purge', '--yes', ...options])
      const commands = [
        `keepsake forget ${id} --purge --agent bob`,
        "keepsake session show 'bob'\\''s chat' --all --agent bob",
        'keepsake session show chat --all',
      ]
      if (form === '--json') {
        expect(JSON.parse(stdout).occurrences).toEqual([
          { in: 'entry', scope: 'bob', id, kind: 'note', name: 'Copy', command: commands[0] },
          { in: 'session', scope: 'bob', key: "bob's chat", command: commands[1] },
          { in: 'session', scope: 'main', key: 'chat', command: commands[2] },
          { in: 'file', path: 'notes.txt' },
        ])
      } else {
        for (const line of [
          `the note "Copy" of bob: ${commands[0]}`,
          `the session "bob's chat" of bob: ${commands[1]}`,
          `the session "chat" of main: ${commands[2]}`,
          'the file notes.txt',
        ])
          expect(stdout.split('\n').map((one) => one.trim())).toContain(line)
      }
    }
    const after = readFileSync(join(desk.workspace, 'agents/bob/sessions/bob%27s%20chat.jsonl'), 'utf8')
    expect(after).toBe(before)
    expect(await contentOf(desk, id ?? '', 'bob')).toBe('The content of another note')
  })

  it('repeats --workspace and --config in each command that it lists', async () => {
    const desk = await Desk.empty()
    desk.edit('../an agent.yaml', 'spec: { memory: { agent: main } }')
    await makeAt(desk, ['session', 'append', 'chat', '--role', 'user', 'what is the content?'])
    await makeAt(desk, ['remember', 'The content of another note', '--name', 'Copy'])
    const { id } = (await jsonAt(desk, ['show', 'Copy'])).entry ?? {}
    const places = ['--workspace', desk.workspace, '--config', join(desk.folder, 'an agent.yaml')]
    await makeAt(desk, ['remember', 'content', '--name', 'Word'])
    const { occurrences } = await jsonHere(['forget', 'Word', '--purge', '--yes', ...places])
    const options = `--workspace ${desk.workspace} --config '${join(desk.folder, 'an agent.yaml')}'`
    expect(occurrences.map(({ command }: Printed) => command)).toEqual([
      `keepsake forget ${id} --purge ${options}`,
      `keepsake session show chat --all ${options}`,
    ])
  })
})

/** The files that hold these words. */
function tracesOf(desk: Desk, words: string): string[] {
  return readdirSync(desk.folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => readFileSync(path).includes(words))
}

describe.concurrent('accept', () => {
  async function emptied(): Promise<Desk> {
    const desk = await Desk.empty()
    for (let index = 0; index < 14; index++) desk.edit(`agents/main/entries/note-${index}.md`, `text ${index}\n`)
    await makeAt(desk, ['log'])
    rmSync(join(desk.workspace, 'agents/main/entries'), { recursive: true })
    return desk
  }

  it('takes in removals in bulk once that is meant, and says how to undo it', async () => {
    const desk = await emptied()
    await makeAt(desk, ['log'])
    expect((await jsonAt(desk, ['log', '--limit', '1'])).changes[0].operations[0].op).toBe('add')
    const refused = await desk.run(['accept'])
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr).toBe(
      'keepsake: this would accept that 14 entries are removed\nNothing was accepted. Say --yes to accept it.\n',
    )
    const { stdout } = await desk.run(['accept', '--yes'])
    expect(stdout).toMatch(/^Accepted that 14 entries are removed\. To bring them back: keepsake undo .+\n$/)
    await makeAt(
      desk,
      stdout
        .trim()
        .replace(/.*keepsake /, '')
        .split(' '),
    )
    expect(existsSync(join(desk.workspace, 'agents/main/entries/note-13.md'))).toBe(true)
  })

  it('only tried, names them and takes nothing in', async () => {
    const desk = await emptied()
    await makeAt(desk, ['log'])
    const before = desk.hash()
    expect((await desk.run(['accept', '--dry-run'])).stdout).toMatch(
      /^Would accept that 14 entries are removed:\n( {2}the note "note-\d+"\n){14}Nothing was changed\.\n$/,
    )
    expect(await jsonAt(desk, ['accept', '--dry-run'])).toMatchObject({ accepted: 0, changes: [], dryRun: true })
    expect(desk.hash()).toBe(before)
  })

  it('has nothing to do where nothing is held back', async () => {
    const desk = await Desk.furnished()
    expect((await desk.run(['accept'])).stdout).toBe('Nothing is held back.\n')
    expect(await jsonAt(desk, ['accept', '--yes'])).toEqual({ accepted: 0, entries: [], changes: [], status: 0 })
  })
})
