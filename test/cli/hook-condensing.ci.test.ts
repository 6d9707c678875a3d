/** What a hook leaves to a model: the end of a session, where agent.yaml names one, and nothing else. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { saving, transcriptAt } from './hook-asking.ts'
import { Desk } from './keepsake.ts'
import { modelEnvironment, scriptedModel } from './scripted.ts'

const SECRET = 'ghp_0123456789'

async function historyOf(desk: Desk): Promise<readonly string[]> {
  const memory = await openMemory({ workspace: desk.workspace })
  try {
    return (await memory.list({ kinds: ['history'] })).map(({ metadata }) => String(metadata['session']))
  } finally {
    await memory.close()
  }
}

it('condenses a session that is over, behind the back of the program that called it', async () => {
  const desk = await Desk.empty()
  const { url, requests } = await scriptedModel()
  const path = transcriptAt(desk)('claude')
  const hook = (id: string, name: string, client = 'claude'): Promise<unknown> =>
    desk
      .run(['hook', client], {
        input: JSON.stringify({ ...saving(path), hook_event_name: name, session_id: id, cwd: desk.folder }),
        env: environment,
      })
      .then(({ status, stdout }) => expect([status, stdout]).toEqual([0, '{}\n']))
  const environment = await modelEnvironment()
  await hook('by-environment', 'SessionEnd')
  const llm = `{provider: openai, model: scripted, base_url: "${url}"}`
  writeFileSync(join(desk.folder, 'agent.yaml'), `spec:\n  memory:\n    llm: ${llm}\n`)
  await hook('compacted', 'PreCompact')
  await hook('stopped', 'Stop')
  await hook('over', 'SessionEnd')
  await vi.waitFor(async () => expect(await historyOf(desk)).toEqual(['claude-over']), { timeout: 30_000 })
  expect(requests).toHaveLength(1)
})

it('asks no model where a project, rather than the user, says where conversations and keys go', async () => {
  const desk = await Desk.empty()
  const { url, requests } = await scriptedModel()
  const before = requests.length
  const event = { ...saving(transcriptAt(desk)('claude')), session_id: 'kept', cwd: desk.folder }
  const written = (llm: string): void =>
    writeFileSync(join(desk.folder, 'agent.yaml'), `spec:\n  memory:\n    llm: {provider: openai, model: m, ${llm}}\n`)
  const env = { GITHUB_TOKEN: SECRET }
  written('base_url: "http://models.invalid/v1", api_key_env: GITHUB_TOKEN')
  const told = await desk.run(['hook', 'claude'], { input: JSON.stringify(event), env })
  expect(told.stdout).toMatch(/"keepsake: this session is saved, but not condensed\..*leads to models\.invalid"/)
  // The process of its own reads the file again, which may have changed by then.
  written(`base_url: "${url}", api_key_env: GITHUB_TOKEN`)
  const unattended = await desk.json(['consolidate', '--unattended', 'claude-kept'], { env })
  expect([unattended.status, unattended.error.code]).toEqual([2, 'NO_MODEL'])
  expect(unattended.error.message).toMatch(/its api_key_env is not OPENAI_API_KEY$/)
  expect(requests).toHaveLength(before)
  const attended = await desk.json(['consolidate', 'claude-kept'], { env })
  expect(attended.status).toBe(0)
  expect(requests.at(-1)?.headers['authorization']).toBe(`Bearer ${SECRET}`)
})
