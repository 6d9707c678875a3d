// Runs several scripts of package.json at once, prints what each says when it ends, and fails when any of them fails.
//   node scripts/at-once.mjs check:types check:lint
import { spawn } from 'node:child_process'

function run(script) {
  const child = spawn(`npm run --silent ${script}`, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk))
  return new Promise((resolve) => {
    child.on('close', (status) => {
      console.log(`${script}: ${status === 0 ? 'passed' : `failed with ${status}`}`)
      process.stdout.write(Buffer.concat(said))
      resolve(status === 0)
    })
  })
}

const passed = await Promise.all(process.argv.slice(2).map(run))
if (passed.includes(false)) process.exitCode = 1
