// An agent with a memory, from top to bottom: a folder, a model, a tool of its own, a few exchanges, and the Markdown that came out.
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chooseModel, createAgent, openaiModel, openMemory } from 'keepsake'
import { startScriptedModel } from './scripted-model.mjs'

const folder = mkdtempSync(join(tmpdir(), 'keepsake-agent-'))
const memory = await openMemory({ workspace: folder })

// The model of your environment (OPENAI_MODEL or ANTHROPIC_MODEL); where there is none, a small server that follows a script.
const { OPENAI_MODEL, ANTHROPIC_MODEL } = process.env
const scripted = OPENAI_MODEL || ANTHROPIC_MODEL ? undefined : await startScriptedModel({ reply: useClock })
const model = scripted ? openaiModel({ model: 'scripted', baseUrl: scripted.url }) : chooseModel(null, process.env)

const clock = {
  name: 'clock',
  description: 'Tells what time it is.',
  inputSchema: { type: 'object', properties: {} },
  run: () => new Date().toISOString(),
}

const agent = createAgent({ memory, model, tools: [clock], instructions: 'Answer in one or two sentences.' })
await say('Remember that the staging server is called heron.')
await say('What time is it?')
await say('What is the staging server called?')
await say('/new') // condenses what was said into MEMORY.md and the history, and begins anew
agent.close()
await memory.close()
await scripted?.close()

for (const file of readdirSync(folder, { recursive: true }).sort()) {
  if (!/(MEMORY|HISTORY-.*|daily.*)\.md$/.test(file)) continue
  console.log(`\n--- ${join(folder, file)}\n${readFileSync(join(folder, file), 'utf8').trim()}`)
}

async function say(input) {
  const on = ({ type, call }) => type === 'tool-call' && console.log(`   (calls ${call.name})`)
  console.log(`\n you: ${input}`)
  console.log(` agent: ${(await agent.process(input, { on })).text}`)
}

/** The one thing that the scripted server would not do of itself. */
function useClock({ messages }) {
  return messages.at(-1).content === 'What time is it?' ? { toolCalls: [{ name: 'clock' }] } : undefined
}
