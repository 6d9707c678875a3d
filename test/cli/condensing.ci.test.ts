/** `keepsake consolidate` and `keepsake review`: what they do, what they tell, and what is left where a model fails. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answer } from '../../src/cli/answer.ts'
import { openMemory } from '../../src/index.ts'
import { longExchanges, sayAll } from '../consolidate/models.ts'
import { jsonHere, sitDownAt } from './in-this-process.ts'
import { Desk, type Printed } from './keepsake.ts'
import { condensing, modelEnvironment, replies, scriptedModel } from './scripted.ts'

const LONG_AGO = '2026-11-15T14:00:00.000Z'
const LONG_MEMORY = Array.from(
  { length: 12 },
  (_, n) => `- Fact number ${n} about the project that is worth keeping.`,
).join('\n')

let desk: Desk
beforeEach(async () => {
  desk = await Desk.empty()
  sitDownAt(desk)
  for (const [name, value] of Object.entries(await modelEnvironment())) vi.stubEnv(name, value)
  for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_MODEL']) vi.stubEnv(name, '')
})

afterEach(() => {
  replies.length = 0
  process.exitCode = undefined
})

/** Sessions with an exchange each, and maybe a MEMORY.md. */
async function furnish(keys: readonly string[], { at = LONG_AGO, memory = '', agent = 'main' } = {}): Promise<void> {
  const opened = await openMemory({ workspace: desk.workspace, agent })
  if (memory !== '') await opened.reflect(memory)
  for (const key of keys) {
    await opened.session(key).append([
      { role: 'user', content: `We use Postgres in ${key}.`, at },
      { role: 'assistant', content: 'Noted.', at },
    ])
  }
  await opened.close()
}

async function memoryText(): Promise<string | undefined> {
  return (await jsonHere(['reflect'])).entry?.content
}

async function exitOf(args: readonly string[]): Promise<{ readonly exit: unknown; readonly printed: Printed }> {
  const { status, ...printed } = await jsonHere(args)
  return { exit: status || (process.exitCode ?? 0), printed }
}

describe('consolidate', () => {
  it('condenses a session, and undo brings all of it back', async () => {
    await furnish(['chat-1'])
    replies.push(condensing('They chose Postgres.', '- Uses Postgres.'))
    const { exit, printed } = await exitOf(['consolidate', 'chat-1'])
    expect([exit, printed.session, printed.outcome, printed.memory]).toEqual([0, 'chat-1', 'condensed', 'updated'])
    expect(printed.history[0].content).toMatch(/^\[\d{4}-\d\d-\d\d \d\d:\d\d\] They chose Postgres\.$/)
    expect(printed.archives).toHaveLength(1)
    expect(printed.marker.turns).toBe(2)
    expect(printed.changes.length).toBeGreaterThan(0)
    expect(await memoryText()).toBe('- Uses Postgres.')
    expect((await jsonHere(['session', 'show', 'chat-1'])).session.turns).toEqual([])
    expect(await jsonHere(['consolidate', 'chat-1'])).toMatchObject({ outcome: 'nothing', why: 'already condensed' })
    expect((await jsonHere(['undo'])).status).toBe(0)
    expect(await memoryText()).toBeUndefined()
    expect((await jsonHere(['session', 'show', 'chat-1'])).session.turns).toHaveLength(2)
  })

  it('keeps everything where the model fails, ends with 1, and tries again when it is told to', async () => {
    await furnish(['chat-1'], { memory: '- Old.' })
    replies.push({ text: 'I would rather not.' })
    const { exit, printed } = await exitOf(['consolidate', 'chat-1'])
    expect([exit, printed.outcome, printed.failure.code]).toEqual([1, 'fell back', expect.stringMatching(/^[A-Z_]+$/)])
    expect(printed.archives[0].content).toContain('We use Postgres in chat-1.')
    expect(await memoryText()).toBe('- Old.')
    process.exitCode = undefined
    replies.push(condensing('They chose Postgres.', '- Old.\n- Uses Postgres.'))
    const again = await exitOf(['consolidate', '--retry'])
    expect([again.exit, again.printed.results.map(({ outcome }: Printed) => outcome)]).toEqual([0, ['condensed']])
    expect(await memoryText()).toBe('- Old.\n- Uses Postgres.')
    expect((await jsonHere(['consolidate', '--retry'])).results).toEqual([])
  })

  it('says of a long session in pieces what each of them came to', async () => {
    const memory = await openMemory({ workspace: desk.workspace })
    await memory.reflect(LONG_MEMORY)
    await sayAll(memory.session('long'), longExchanges(1, 8))
    await sayAll(memory.session('other'), longExchanges(1, 5))
    await memory.close()
    replies.push(condensing('One.', `${LONG_MEMORY}\n- One.`), condensing('Two.', '- Two.'))
    replies.push(condensing('Three.', `${LONG_MEMORY}\n- One.\n- Three.`))
    const { text } = await answer(['consolidate', 'long'])
    expect(text).toMatch(/\n {2}memory +MEMORY\.md is rewritten\n {2}review +a rewrite waits for you \(shrinks\)/)
    replies.push(condensing('One.', `${LONG_MEMORY}\n- One.\n- Three.\n- Four.`), { text: 'no' })
    const failed = await answer(['consolidate', 'other'])
    expect(failed.text).toMatch(/^Condensed the first part of session "other"; the rest is kept as it is\n/)
    expect(failed.text).toMatch(
      /\n {2}archive +\S+other-1\.md\n {2}kept in +\S+other-2\.md\n {2}memory +\S+ is rewritten\n/,
    )
    expect(failed.warnings).toEqual([expect.stringMatching(/^the rest of session "other" is not condensed: /)])
  })

  it('gives a model no longer than it is told', async () => {
    await furnish(['chat-1'])
    replies.push({ delayMs: 3000, text: 'late' })
    const { exit, printed } = await exitOf(['consolidate', 'chat-1', '--timeout', '50'])
    expect([exit, printed.failure.code]).toEqual([1, 'TIMEOUT'])
  })

  it('takes all sessions that nobody is in the middle of, and what hooks saved', async () => {
    await furnish(['old', 'older'])
    await furnish(['busy', 'claude-7'], { at: new Date().toISOString() })
    const { results } = await jsonHere(['consolidate', '--all'])
    expect(results.map(({ session }: Printed) => session).sort()).toEqual(['claude-7', 'old', 'older'])
    expect((await jsonHere(['session', 'show', 'busy'])).session.turns).toHaveLength(2)
    expect((await jsonHere(['consolidate', '--all'])).results).toEqual([])
  })

  it('tells a session that is not there, and whose it is', async () => {
    await furnish(['chat-1'])
    await furnish(['plans'], { agent: 'scout' })
    const asked = (await scriptedModel()).requests.length
    const missing = await jsonHere(['consolidate', 'chat-1', 'chat-2'])
    expect([missing.status, missing.error.code]).toEqual([3, 'NOT_FOUND'])
    expect(missing.error.hint).toContain('"chat-1"')
    expect((await jsonHere(['consolidate', 'plans'])).error.hint).toContain('--agent scout')
    expect((await jsonHere(['session', 'show', 'plans'])).error.hint).toContain('--agent scout')
    expect((await scriptedModel()).requests.length).toBe(asked)
  })

  it.each([[[]], [['chat-1', '--all']], [['--all', '--retry']], [['chat-1', '--timeout', '0']]])(
    'refuses what can not be meant: %j',
    async (args) => {
      const { status, error } = await jsonHere(['consolidate', ...args])
      expect([status, error.code]).toEqual([2, 'INVALID'])
    },
  )

  it('says which model to configure where there is none', async () => {
    for (const name of ['OPENAI_MODEL', 'OPENAI_BASE_URL']) vi.stubEnv(name, '')
    await furnish(['chat-1'])
    const before = desk.hash()
    for (const args of [['consolidate', 'chat-1'], ['chat']]) {
      const { status, error } = await jsonHere(args)
      expect([status, error.code]).toEqual([2, 'NO_MODEL'])
      for (const way of ['agent.yaml', 'OPENAI_BASE_URL', 'OPENAI_MODEL', 'ANTHROPIC_MODEL'])
        expect(error.hint).toContain(way)
    }
    expect(desk.hash()).toBe(before)
  })
})

describe('review', () => {
  async function withReview(): Promise<Printed> {
    await furnish(['chat-1'], { memory: LONG_MEMORY })
    replies.push(condensing('They chose Postgres.', '- Uses Postgres.'))
    return jsonHere(['consolidate', 'chat-1'])
  }

  it('says that nothing waits', async () => {
    expect(await jsonHere(['review'])).toEqual({ reviews: [], status: 0 })
    expect((await jsonHere(['review', '--accept'])).status).toBe(3)
    expect((await jsonHere(['review', '--accept', '--reject'])).error.code).toBe('INVALID')
  })

  it('shows what would become of MEMORY.md, and writes it when it is accepted', async () => {
    const condensed = await withReview()
    expect([condensed.outcome, condensed.memory, await memoryText()]).toEqual(['condensed', 'for review', LONG_MEMORY])
    const { reviews } = await jsonHere(['review'])
    expect(reviews).toEqual([condensed.review])
    expect(reviews[0]).toMatchObject({ reason: 'shrinks', session: 'chat-1', proposed: '- Uses Postgres.' })
    expect((await jsonHere(['review', reviews[0].name])).reviews).toEqual(reviews)
    expect((await jsonHere(['review', 'no such archive'])).status).toBe(3)
    expect((await jsonHere(['__complete', '--', 'review', ''])).candidates[0].value).toBe(reviews[0].name)
    const accepted = await jsonHere(['review', '--accept'])
    expect([accepted.review.id, accepted.entry.kind]).toEqual([reviews[0].id, 'memory'])
    expect([await memoryText(), (await jsonHere(['review'])).reviews]).toEqual(['- Uses Postgres.', []])
    await jsonHere(['undo'])
    expect([await memoryText(), (await jsonHere(['review'])).reviews]).toEqual([LONG_MEMORY, reviews])
  })

  it('says where it can no longer be accepted', async () => {
    await withReview()
    expect((await jsonHere(['review'])).reviews[0]).not.toHaveProperty('fits')
    await jsonHere(['reflect', LONG_MEMORY.replace('number 3', 'number three')])
    expect((await jsonHere(['review'])).reviews[0]).toMatchObject({ reason: 'shrinks', fits: false })
    expect((await answer(['review'])).text).toMatch(
      /\n {2}take it +not possible: .*keepsake reflect\n {2}leave it +keepsake review \S+ --reject\n/,
    )
    expect((await jsonHere(['review', '--accept'])).error.code).toBe('CONFLICT')
  })

  it('leaves MEMORY.md as it is when it is rejected', async () => {
    const { review } = await withReview()
    expect((await jsonHere(['review', review.name, '--reject'])).review.id).toBe(review.id)
    expect([await memoryText(), (await jsonHere(['review'])).reviews]).toEqual([LONG_MEMORY, []])
  })
})

describe('a process', () => {
  it('prints for people what was done, what is kept, and what waits', async () => {
    await furnish(['chat-1', 'chat-2'], { memory: LONG_MEMORY })
    const env = await modelEnvironment()
    replies.push(condensing('They chose Postgres.', '- Uses Postgres.'), { text: 'no' })
    const { status, stdout, stderr } = await desk.run(['consolidate', 'chat-1', 'chat-2'], { env })
    expect(status).toBe(1)
    expect(stdout).toMatch(/^Condensed session "chat-1"\n {2}history +\.keepsake\/agents\/main\/\S*HISTORY\S*\.md\n/)
    expect(stdout).toMatch(
      /\n {2}archive +\.keepsake\/\S+\.md\n {2}memory +MEMORY\.md is as it was\n {2}review .*keepsake review\n/,
    )
    expect(stdout).toMatch(
      /\nAll that was said in session "chat-2" is kept as it is\n[\s\S]*\n {2}retry +keepsake consolidate --retry\n/,
    )
    expect(stderr).toMatch(/^keepsake: warning: session "chat-2" is not condensed: /)
    const review = await desk.run(['review'])
    expect(review.stdout).toMatch(/\n {2}why +shrinks: /)
    expect(review.stdout).toContain('\n    +- Uses Postgres.')
    expect(review.stdout).toContain('\n    -- Fact number 3 about the project that is worth keeping.\n')
    expect(await desk.run(['review', '--reject', '--quiet'])).toEqual({ status: 0, stdout: '', stderr: '' })
    expect((await desk.run(['review'])).stdout).toBe('Nothing waits for review.\n')
  })
})
