// The page as the browser loads it: a few files in dist/page, nothing from anywhere else. What only one view needs is a file of its own, so
// that the first sight waits for little; test/page/bundle.test.ts holds how little.
import { copyFileSync, mkdirSync } from 'node:fs'
import { build } from 'esbuild'
import { writeLicences } from './third-party-licences.mjs'

const OUT = 'dist/page'

mkdirSync(OUT, { recursive: true })
const { metafile } = await build({
  entryPoints: ['src/page/main.tsx'],
  outdir: OUT,
  bundle: true,
  splitting: true,
  format: 'esm',
  minify: true,
  // What every browser of the last two years has; so is CSS nesting.
  target: ['chrome120', 'firefox121', 'safari17.2'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
})
for (const file of ['index.html', 'icon.svg']) copyFileSync(`src/page/${file}`, `${OUT}/${file}`)
writeLicences(metafile, `${OUT}/THIRD-PARTY-LICENSES.txt`)
