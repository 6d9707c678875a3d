/** What a hook saves: which transcript, into which memory, and what is told where it can't. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { type Memory, openMemory } from '../../src/index.ts'
import { block } from '../../src/model/injected.ts'
import { ask, context, saving, transcriptAt, withCleanEnvironment } from './hook-asking.ts'
import { ANSWER, PROMPT, TRANSCRIPTS } from './hook-samples.ts'
import { Desk } from './keepsake.ts'

withCleanEnvironment()

const SAID = [PROMPT, ANSWER]

async function withMemory<T>(desk: Desk, use: (memory: Memory) => Promise<T>): Promise<T> {
  const memory = await openMemory({ workspace: desk.workspace })
  try {
    return await use(memory)
  } finally {
    await memory.close()
  }
}

function contentsOf(desk: Desk, key = 'claude-s'): Promise<string[]> {
  return withMemory(desk, async (memory) => (await memory.session(key).view()).turns.map(({ content }) => content))
}

describe('a session whose agent walks into another project', () => {
  it('stays in the memory of the project that the client names', async () => {
    const [home, other] = [await Desk.empty(), await Desk.empty()]
    const event = { ...saving(transcriptAt(home)('claude')), cwd: other.folder }
    vi.stubEnv('CLAUDE_PROJECT_DIR', home.folder)
    expect(await ask(other, event)).toEqual({})
    expect([await contentsOf(home), await contentsOf(other)]).toEqual([SAID, []])
    const furnished = await Desk.furnished()
    vi.stubEnv('CLAUDE_PROJECT_DIR', furnished.folder)
    const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: PROMPT, cwd: other.folder }
    expect(context(await ask(other, prompt))).toContain('heron')
    // Another client's folder is none, and so is one that is not there.
    expect(await ask(other, prompt, ['gemini'])).toEqual({})
    for (const folder of ['.', join(home.folder, 'gone')]) {
      vi.stubEnv('CLAUDE_PROJECT_DIR', folder)
      expect(await ask(other, prompt)).toEqual({})
    }
  })

  it('is not read where that project has no memory', async () => {
    const desk = await Desk.empty()
    writeFileSync(join(desk.folder, 'agent.yaml'), 'spec: {}\n')
    const path = join(desk.folder, 'none.jsonl')
    writeFileSync(path, 'this would be told: it is no transcript\n')
    expect((await ask(desk, saving(path))).systemMessage).toContain('is no transcript of claude')
    vi.stubEnv('CLAUDE_PROJECT_DIR', desk.folder)
    expect(await ask(desk, saving(path))).toEqual({})
  })

  it('is saved where its transcript says that it began', async () => {
    const [home, other] = [await Desk.empty(), await Desk.empty()]
    const lines = (TRANSCRIPTS['claude'] ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const moved = lines.map((line, index) => ({ ...line, cwd: index === 0 ? home.folder : other.folder }))
    const path = join(other.folder, 'moved.jsonl')
    writeFileSync(path, moved.map((line) => `${JSON.stringify(line)}\n`).join(''))
    expect(await ask(other, { ...saving(path), cwd: other.folder })).toEqual({})
    expect([await contentsOf(home), await contentsOf(other)]).toEqual([SAID, []])
    // A project that was moved since: the event's folder.
    rmSync(home.folder, { recursive: true })
    expect(await ask(other, { ...saving(path), cwd: other.folder })).toEqual({})
    expect(await contentsOf(other)).toEqual(SAID)
  })
})

describe('a transcript', () => {
  it('is found by a path from the folder of the event, and from the home folder', async () => {
    const desk = await Desk.empty()
    const below = join(desk.folder, 'below')
    for (const folder of [below, join(desk.folder, 'home')]) {
      mkdirSync(folder)
      writeFileSync(join(folder, 'c.jsonl'), TRANSCRIPTS['claude'] ?? '')
    }
    expect(await ask(desk, { ...saving('c.jsonl'), cwd: below, session_id: 'a' })).toEqual({})
    expect(await ask(desk, { ...saving('~/c.jsonl'), cwd: below, session_id: 'b' })).toEqual({})
    expect([await contentsOf(desk, 'claude-a'), await contentsOf(desk, 'claude-b')]).toEqual([SAID, SAID])
  })

  it('that can not be saved is told, except where there is nothing to save', async () => {
    const desk = await Desk.empty()
    const at = (name: string): string => join(desk.folder, name)
    symlinkSync(at('loop'), at('loop'))
    writeFileSync(at('empty'), '\n')
    writeFileSync(at('begun'), `${JSON.stringify({ type: 'queue-operation', sessionId: 's' })}\n`)
    const told = async (path: string, more: object = {}, client = 'claude'): Promise<string | undefined> =>
      (await ask(desk, { ...saving(path), ...more }, [client])).systemMessage
    expect(await told(at('loop'))).toMatch(/^keepsake: the transcript is not saved: .*loop can't be read: ELOOP/)
    expect(await told(desk.folder, { hook_event_name: 'PreCompact' })).toMatch(/ is no file$/)
    expect(await told(transcriptAt(desk)('claude'), {}, 'gemini')).toMatch(/claude\.jsonl is no transcript of gemini$/)
    // A Stop comes with every turn.
    expect(await told(at('loop'), { hook_event_name: 'Stop' }, 'codex')).toBeUndefined()
    for (const path of [at('gone'), at('begun/gone'), at('empty'), at('begun')]) {
      expect([path, await told(path)]).toEqual([path, undefined])
    }
  })

  it('that no hook could save is saved when the session is resumed', async () => {
    const desk = await Desk.furnished()
    const path = transcriptAt(desk)('codex')
    const start = { ...saving(path), hook_event_name: 'SessionStart', source: 'startup' }
    await ask(desk, start, ['codex'])
    expect(await contentsOf(desk, 'codex-s')).toEqual([])
    const answer = await ask(desk, { ...start, source: 'resume' }, ['codex'])
    expect([answer.systemMessage, context(answer).includes('# Memory')]).toEqual([undefined, true])
    expect(await contentsOf(desk, 'codex-s')).toEqual(SAID)
    const unread = await ask(desk, { ...start, source: 'resume', transcript_path: desk.folder }, ['codex'])
    expect(unread.systemMessage).toMatch(/ is no file$/)
    expect(context(unread)).toContain('# Memory')
  })

  it('keeps what a user said before a hook gave it, and holds back what the assistant repeats', async () => {
    const desk = await Desk.empty()
    const fact = 'The staging host is called heron and listens on port 8443.'
    await withMemory(desk, (memory) => memory.remember(fact, { name: 'Staging' }))
    const asks = 'Which port has the staging host heron?'
    const began = Date.now()
    const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: asks, cwd: desk.folder }
    expect(context(await ask(desk, prompt))).toContain(fact)
    const said = (ms: number, type: string, text: string): object => ({
      ...{ type, uuid: `u${ms}`, sessionId: 's', timestamp: new Date(began + ms).toISOString() },
      message: { role: type, content: [{ type: 'text', text }] },
    })
    const lines = [said(-9000, 'user', fact), said(-1, 'user', asks), said(9000, 'assistant', fact)]
    const path = join(desk.folder, 'session.jsonl')
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    expect(await ask(desk, saving(path))).toEqual({})
    const kept = await withMemory(desk, async (memory) => {
      await memory.session('claude-s').reset()
      return (await memory.list({ kinds: ['conversation'] })).map(({ content }) => content)
    })
    expect(kept.sort()).toEqual([fact, asks])
  })

  it('of a fork is known by what the first session was given', async () => {
    const desk = await Desk.empty()
    const fact = 'The staging host is called heron and listens on port 8443.'
    const said = (n: number, type: string, text: string): object => ({
      ...{ type, uuid: `u${n}`, sessionId: 'fork', timestamp: new Date(Date.now() + n).toISOString() },
      message: { role: type, content: [{ type: 'text', text }] },
    })
    const hookContext = { type: 'hook_additional_context', content: [block('recall', fact)] }
    const lines = [
      { type: 'attachment', uuid: 'h', sessionId: 'fork', attachment: hookContext },
      said(1, 'user', 'Which host is it, please?'),
      said(2, 'assistant', fact),
      said(3, 'assistant', 'The certificate for it expires on Friday.'),
    ]
    const path = join(desk.folder, 'fork.jsonl')
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    expect(await ask(desk, saving(path))).toEqual({})
    const kept = await withMemory(desk, async (memory) => {
      for (let n = 0; n < 6; n++) await memory.session('claude-s').append({ role: 'user', content: `Next ${n}` })
      return (await memory.list({ kinds: ['conversation'] })).map(({ content }) => content)
    })
    expect(kept.sort()).toEqual(['Next 0', 'The certificate for it expires on Friday.', 'Which host is it, please?'])
  })
})
