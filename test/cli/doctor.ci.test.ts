import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonFrom } from './in-this-process.ts'
import { Desk } from './keepsake.ts'

const CARD = 'agents/main/entries/open.md'
const BROKEN = '---\nname: open\n\nNever closed.\n'

function edit(desk: Desk, path: string, content: string): void {
  desk.edit(path, content)
  chmodSync(join(desk.workspace, path), 0o600)
  chmodSync(join(desk.workspace, dirname(path)), 0o700)
}

describe('keepsake doctor', () => {
  it('has a help that the golden file holds', async () => {
    const { status, stdout, stderr } = await new Desk().run(['doctor', '--help'])
    expect([status, stderr]).toEqual([0, ''])
    await expect(stdout).toMatchFileSnapshot(resolve(import.meta.dirname, 'golden/help-doctor.txt'))
  })

  it('says that nothing is wrong, what it looked at, and changes nothing', async () => {
    const desk = await Desk.furnished()
    const before = desk.hash()
    const { status, stdout, stderr } = await desk.run(['doctor'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      /^Nothing wrong\. Looked at \d+ files, \d+ entries, \d+ changes, \d+ sessions?\.\nEmbeddings: none\.\n$/,
    )
    expect(desk.hash()).toBe(before)
    expect(await desk.json(['doctor'])).toMatchObject({
      status: 0,
      problems: [],
      clean: true,
      counts: { damage: 0, warning: 0, note: 0 },
    })
    expect(await desk.run(['doctor', '--quiet'])).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('ends with 1 when there is damage, and tells where, what and what to do', async () => {
    const desk = await Desk.furnished()
    edit(desk, CARD, BROKEN)
    const { status, stdout } = await desk.run(['doctor'])
    expect(status).toBe(1)
    const lines = stdout.split('\n')
    expect(lines[0]).toBe('Damage')
    expect(lines[1]).toMatch(/^ {2}\.keepsake\/agents\/main\/entries\/open\.md {2}line 1: .* \[broken-card\]$/)
    expect(lines[2]).toMatch(/^ {20,}It is left as it is\./)
    expect(stdout).toContain('1 damaged. Looked at')
    const { problems, counts, clean, status: jsonStatus } = await desk.json(['doctor'])
    expect([jsonStatus, clean, counts.damage]).toEqual([1, false, 1])
    expect(problems[0]).toMatchObject({ code: 'broken-card', severity: 'damage', path: CARD, fixable: false })
    expect((await desk.run(['doctor', '--quiet'])).stdout).toMatch(/open\.md: line 1: /)
  })

  it('ends with 0 when there are only warnings and notes', async () => {
    const desk = await Desk.furnished()
    edit(desk, 'agents/main/entries/nul.md', 'A note.\n')
    const { status, counts } = await desk.json(['doctor'])
    expect([status, counts]).toEqual([0, { damage: 0, warning: 0, note: 1 }])
  })

  it('looks at what no other command can open', async () => {
    const desk = await Desk.furnished()
    edit(desk, 'keepsake.yaml', 'format: [')
    const { status, problems } = await desk.json(['doctor'])
    expect(status).toBe(1)
    expect(problems.map(({ code }: { code: string }) => code)).toEqual(['settings-damaged'])
    const fixed = await desk.json(['doctor', '--fix'])
    expect(fixed.warnings[0]).toMatch(/nothing was fixed/)
    expect(fixed.status).toBe(1)
  })

  it('finds nothing wrong while others write', async () => {
    const desk = await Desk.furnished()
    const writers = [1, 2, 3, 4].map(async (writer) => {
      for (let n = 0; n < 4; n++) await desk.make(['remember', `Text ${n}.`, '--name', `note ${writer % 2} ${n}`])
    })
    const looks: unknown[] = []
    for (let n = 0; n < 8; n++) looks.push((await jsonFrom(desk, ['doctor'])).problems)
    await Promise.all(writers)
    expect(looks).toEqual(looks.map(() => []))
  })

  it.each([
    ['all-MiniLM-L6-v2', { model: 'all-MiniLM-L6-v2', engine: expect.stringMatching(/^native$|^wasm$/) }],
    [
      '{ model: m, base_url: "http://localhost:11434/v1" }',
      { model: 'm@localhost:11434/v1', state: 'm@localhost:11434/v1' },
    ],
    [
      '{ model: m, base_url: "https://elsewhere.example/v1" }',
      {
        model: 'm@elsewhere.example/v1',
        state: 'm@elsewhere.example/v1; not asked unattended: its base_url leads to elsewhere.example',
      },
    ],
    [
      '{ model: m, api_key_env: NO_SUCH_KEY }',
      { state: expect.stringContaining('it needs a key, and NO_SUCH_KEY is not set') },
    ],
  ])('says what there is for search by meaning: %s', async (model, state) => {
    const desk = await Desk.empty()
    writeFileSync(join(desk.folder, 'agent.yaml'), `spec:\n  memory:\n    embedding_model: ${model}\n`)
    const { status, clean, embeddings } = await desk.json(['doctor'], { env: { KEEPSAKE_EMBEDDING_MODEL: '' } })
    expect([status, clean, embeddings]).toEqual([0, true, expect.objectContaining(state)])
  })

  it.each([
    [{ OPENAI_BASE_URL: 'http://localhost:11434/v1' }, 'm@localhost:11434/v1'],
    [{ OPENAI_API_KEY: 'abc' }, 'm@api.openai.com/v1'],
    [{}, 'm@api.openai.com/v1; it needs a key, and OPENAI_API_KEY is not set'],
  ])('says whether the server named in the environment can be used: %j', async (env, state) => {
    const desk = await Desk.empty()
    writeFileSync(join(desk.folder, 'agent.yaml'), 'spec:\n  memory:\n    embedding_model: { model: m }\n')
    const unset = { KEEPSAKE_EMBEDDING_MODEL: '', OPENAI_BASE_URL: '', OPENAI_API_KEY: '' }
    const { embeddings } = await desk.json(['doctor'], { env: { ...unset, ...env } })
    expect(embeddings.state).toBe(state)
  })

  it('says that there is no workspace where there is none', async () => {
    const desk = new Desk()
    const { status, problems } = await desk.json(['doctor'])
    expect([status, problems[0].code]).toEqual([0, 'no-workspace'])
    expect(existsSync(desk.workspace)).toBe(false)
  })
})

describe('keepsake doctor --fix', () => {
  async function hurt(): Promise<Desk> {
    const desk = await Desk.furnished()
    edit(desk, CARD, BROKEN)
    edit(desk, 'agents/main/sessions/torn.jsonl', '{"key":"torn","createdAt":"2026-11-15T00:00:00.000Z"}\n{"ro')
    return desk
  }

  it('only tells with --dry-run', async () => {
    const desk = await hurt()
    const before = desk.hash()
    const { status, stdout } = await desk.run(['doctor', '--fix', '--dry-run'])
    expect(status).toBe(1)
    expect(stdout).toMatch(/^Would fix, after copying the workspace\n {2}\S*torn\.jsonl .*\[torn-session\]\n/)
    const { wouldMend, dryRun } = await desk.json(['doctor', '--fix', '--dry-run'])
    expect([wouldMend.length, dryRun]).toEqual([1, true])
    expect(desk.hash()).toBe(before)
  })

  it('makes a copy, fixes, and reports what is left', async () => {
    const desk = await hurt()
    const { status, stdout, stderr } = await desk.run(['doctor', '--fix'])
    expect([status, stderr]).toEqual([1, ''])
    expect(stdout).toMatch(
      /^Fixed\n {2}\S*torn\.jsonl .*\[torn-session\]\nThe original is kept in \S*before-fix-\S*\n\nDamage\n/,
    )
    expect(stdout).not.toContain('doctor --fix')
  })

  it('gives one JSON object with what was mended', async () => {
    const { status, mended, backup, problems } = await (await hurt()).json(['doctor', '--fix'])
    expect(status).toBe(1)
    expect(mended.map(({ code }: { code: string }) => code)).toEqual(['torn-session'])
    expect(existsSync(backup)).toBe(true)
    expect(problems.map(({ code }: { code: string }) => code)).toEqual(['broken-card'])
  })

  it('writes nothing where nothing is to be mended', async () => {
    const desk = await Desk.furnished()
    const before = desk.hash()
    const { status, stdout } = await desk.run(['doctor', '--fix'])
    expect([status, stdout]).toMatchObject([0, expect.stringMatching(/^Nothing was fixed\.\n\nNothing wrong\./)])
    expect(desk.hash()).toBe(before)
  })

  it('is what --dry-run goes with', async () => {
    expect((await (await Desk.furnished()).run(['doctor', '--dry-run'])).status).toBe(2)
  })
})
