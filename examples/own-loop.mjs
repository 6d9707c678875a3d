// A loop of your own with a memory in it: the prompt and the tools come from the library, the model and the loop are yours. Two
// conversations on one folder: the second knows what the first was told.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryTools, openaiModel, openMemory } from 'keepsake'
import { startScriptedModel } from './scripted-model.mjs'

const workspace = mkdtempSync(join(tmpdir(), 'keepsake-own-loop-'))
// Any model that can call tools; this one is a small server that follows a script.
const scripted = await startScriptedModel()
const model = openaiModel({ model: 'scripted', baseUrl: scripted.url })

await conversation(['Remember that the staging server is called heron.'])
await conversation(['What is the staging server called?'])
await scripted.close()

async function conversation(inputs) {
  const memory = await openMemory({ workspace, agent: 'main' })
  const tools = createMemoryTools(memory)
  const messages = []
  for (const input of inputs) {
    console.log(`\n you: ${input}`)
    // Identity, directive and MEMORY.md; and what is found for this message, which stands before it and is not kept.
    const { system, recall } = await memory.context({ message: input })
    if (recall !== '') console.log(`   (given ${recall.length} characters of what is remembered)`)
    messages.push({ role: 'user', content: input })
    console.log(` agent: ${await answer({ system, recall, messages, tools })}`)
  }
  await memory.close()
}

async function answer({ system, recall, messages, tools }) {
  const last = messages.length - 1
  for (;;) {
    const sent = messages.with(last, { role: 'user', content: `${recall}\n\n${messages[last].content}`.trim() })
    const { content, toolCalls = [] } = await model.complete(sent[last].content, {
      model: model.name,
      system,
      messages: sent,
      tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    })
    messages.push({ role: 'assistant', content, toolCalls })
    if (toolCalls.length === 0) return content
    for (const { id, name, arguments: args } of toolCalls) {
      console.log(`   (calls ${name} ${JSON.stringify(args)})`)
      const tool = tools.find((one) => one.name === name)
      // What a model does wrong is a result too, with what is allowed: it can try again.
      const { text } = tool ? await tool.run(args) : { text: `There is no tool ${name}.` }
      messages.push({ role: 'tool', callId: id, name, content: text })
    }
  }
}
