// The command line as one file instead of sixty: loading modules one by one was half of a command's time. What a verb
// does not need is compiled only when it runs. `yaml` is left out, because most commands never load it.
import { build } from 'esbuild'

await build({
  entryPoints: ['src/cli/main.ts'],
  outdir: 'dist/cli',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: ['yaml'],
  minifySyntax: true,
  legalComments: 'inline',
  logLevel: 'warning',
})
