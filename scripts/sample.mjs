// What `npm start` shows: a small memory made with the command line, the Markdown files that came out, and what an agent
// would be given to read. The folder ./sample is made anew each time, and is only ever removed when it is a workspace.
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = 'sample'
const KEEPSAKE = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

const STEPS = [
  ['Make a workspace:', ['init']],
  [
    'Keep something that happened. It goes to the log of today:',
    ['remember', 'The staging server moved to the new rack.'],
  ],
  ['Keep a note under a name, to find it again and to change it later:', noteStep()],
  [
    'Write down what every agent should know:',
    ['learn', 'Staging server', 'Its name is **heron**. It restarts at 04:00.'],
  ],
  ['Rewrite what this agent always has before it:', ['reflect', '- Prefers small steps.\n- Asks before it deletes.']],
]

try {
  clearFolder()
  for (const [why, args] of STEPS) run(why, args)
  showFiles()
  run('This is what an agent reads when it begins to work:', ['recall'])
  run('And this is how something is found again, with the reasons:', ['recall', 'when does heron restart', '--explain'])
  showMeaning()
  run('Before each turn, a model is given this:', ['context', '--message', 'Hi, when does heron restart?'])
  console.log(`\nThe memory stays in ./${FOLDER}: edit its files as you like, and recall again. To begin your own:`)
  console.log('\n  npx keepsake init')
  console.log('\nTo give it to your agent (or codex, gemini, opencode):\n\n  npx keepsake install claude')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

function noteStep() {
  const text = 'Run `make ship`, then watch the graphs for ten minutes.'
  return ['remember', text, '--name', 'Deploys', '--alias', 'releases', '--meta', 'sure:=0.9']
}

function clearFolder() {
  if (lstatSync(FOLDER, { throwIfNoEntry: false }) === undefined) return
  if (lstatSync(FOLDER).isDirectory() && existsSync(join(FOLDER, 'keepsake.yaml'))) {
    rmSync(FOLDER, { recursive: true })
    return
  }
  throw new Error(`./${FOLDER} is there already and is not a workspace of Keepsake: move it away and start again.`)
}

/** Where the model can't be loaded on this machine, all else still works. */
function showMeaning() {
  try {
    run('By meaning, what is written in other words is found too. That takes a vector of each text:', ['embed'])
    run('Now a question that shares no word with its answer:', ['recall', 'release procedure', '--mode', 'hybrid'])
  } catch (error) {
    console.log(indented(error.message))
  }
}

function run(why, args) {
  console.log(`\n${why}\n\n  $ keepsake ${args.map(quoted).join(' ')} --workspace ${FOLDER}`)
  const child = spawnSync(process.execPath, [KEEPSAKE, ...args, '--workspace', FOLDER], {
    encoding: 'utf8',
    // A set NODE_EXTRA_CA_CERTS triples the start of a process, and nothing here uses the network.
    env: { ...process.env, NODE_EXTRA_CA_CERTS: '' },
  })
  if (child.status !== 0) throw new Error(`keepsake ${args[0]} failed:\n${child.stdout}${child.stderr}`)
  console.log(indented(child.stdout))
}

function showFiles() {
  console.log('\nThese are the files that came out:')
  const paths = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  const shown = paths.filter((path) => path.endsWith('.md') && !path.startsWith('.state'))
  for (const path of shown.sort()) {
    console.log(`\n  ${join(FOLDER, path)}\n`)
    console.log(indented(readFileSync(join(FOLDER, path), 'utf8')))
  }
}

function indented(text) {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `    ${line}`))
    .join('\n')
}

function quoted(arg) {
  if (/^[\w:=.-]+$/.test(arg)) return arg
  return arg.includes('\n') ? `$'${arg.replaceAll('\n', '\\n')}'` : `'${arg}'`
}
