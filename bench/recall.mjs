// Recalling: a whole process that searches 10,000 entries of real text by words, against a Node that does nothing. Once as a
// person calls it, and once as an agent program does for each prompt. CPU time, clean environment; all three take turns.
import { spawnSync } from 'node:child_process'
import { inFilledWorkspace } from './filled-workspace.mjs'
import { processCpuMs } from './process-cpu.mjs'
import { recallByMeaningRows } from './recall-by-meaning.mjs'
import { median, row } from './table.mjs'

const CLI = new URL('../dist/cli/main.js', import.meta.url).pathname

export async function benchRecall(sizes) {
  return inFilledWorkspace('recall', sizes, async ({ workspace, queries, first }) => {
    const recall = (words) => [CLI, 'recall', words.join(' '), '--workspace', workspace]
    const hook = [CLI, 'hook', 'claude', '--workspace', workspace]
    // Also the calls that make the index and keep compiled code, which are not what is measured.
    requireAnswer(recall(first), '', /^1 {2}/)
    requireAnswer(hook, prompted(first, 'first'), /"additionalContext":"<recall>/)
    const taken = { recall: [], hook: [], floor: [] }
    for (const [round, words] of queries.entries()) {
      taken.recall.push(processCpuMs(recall(words)))
      taken.hook.push(processCpuMs(hook, prompted(words, round)))
      taken.floor.push(processCpuMs(['-e', '0']))
    }
    const at = `at ${sizes.entries.toLocaleString('en')} entries`
    const against = (name) => [median(taken[name]), 'node -e 0', median(taken.floor), 5]
    return [
      row(`keepsake recall ${at}`, 'ms CPU', ...against('recall')),
      row(`keepsake hook, a prompt ${at}`, 'ms CPU', ...against('hook')),
      ...(await recallByMeaningRows({ workspace, queries, entries: sizes.entries })),
    ]
  })
}

/** Each in a session of its own: what a session was given before is not taken down again. */
function prompted(words, session) {
  const prompt = `What do we know about ${words.join(', ')}?`
  return JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: `bench-${session}`, prompt })
}

function requireAnswer(args, input, expected) {
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', input })
  if (!expected.test(stdout)) throw new Error(`${args.join(' ')} found nothing: ${stdout}${stderr}`)
}
