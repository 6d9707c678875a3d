// The command line as three files instead of two hundred: loading modules one by one was half of a command's time. An
// everyday command loads main.js and chunk.js; what is seldom asked for is in rarely.js. Rejected, because measured: one
// file, for every command pays for reading all of it; a file for each import(), for many files cost more than one that
// is too long. `yaml` and the stemmers of other
// languages are left out, because most commands never load them.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { build } from 'esbuild'

const SRC = resolve(import.meta.dirname, '../src')

const EVERYDAY_COMMANDS = 'remember|recall|learn|reflect|forget|rename|alias|show|list'
const EVERYDAY = new RegExp(
  `^(cli/commands/(${EVERYDAY_COMMANDS})|cli/(context|open-workspace|asked-config)|config/find-workspace|memory/searching|stores/filesystem/store|model/.*)\\.ts$`,
)

const DYNAMIC_IMPORT = /(?<!typeof )\bimport\('(\.[^']+)'\)/g

await build({
  entryPoints: ['src/cli/main.ts'],
  outdir: 'dist/cli',
  bundle: true,
  splitting: true,
  chunkNames: '[name]',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: ['yaml', '@orama/stemmers'],
  minify: true,
  legalComments: 'inline',
  logLevel: 'warning',
  plugins: [{ name: 'three-files', setup: intoThreeFiles }],
})

/** esbuild makes a file of every import(). So everyday ones become plain imports, and the rare ones share one target. */
function intoThreeFiles(bundle) {
  bundle.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
    contents: withFewerTargets(readFileSync(path, 'utf8'), dirname(path)),
    loader: 'ts',
  }))
  bundle.onResolve({ filter: /^keepsake:rarely$/ }, () => ({ path: 'rarely', namespace: 'rarely' }))
  bundle.onLoad({ filter: /.*/, namespace: 'rarely' }, () => ({
    contents: rareTargets()
      .map((path) => `export * as ${nameOf(path)} from ${JSON.stringify(path)}`)
      .join('\n'),
    resolveDir: SRC,
  }))
}

function withFewerTargets(code, folder) {
  const imports = new Set()
  const body = code.replace(DYNAMIC_IMPORT, (_, specifier) => {
    const path = join(folder, specifier)
    if (!isEveryday(path)) return `import('keepsake:rarely').then((all) => all.${nameOf(path)})`
    imports.add(`import * as ${nameOf(path)} from '${specifier}'`)
    return `Promise.resolve(${nameOf(path)})`
  })
  return [body, ...imports].join('\n')
}

function rareTargets() {
  const files = readdirSync(SRC, { recursive: true }).filter((file) => /(?<!\.test)\.ts$/.test(file))
  const targets = files.flatMap((file) => {
    const code = readFileSync(join(SRC, file), 'utf8')
    return [...code.matchAll(DYNAMIC_IMPORT)].map(([, specifier]) => join(SRC, dirname(file), specifier))
  })
  return [...new Set(targets)].filter((path) => !isEveryday(path)).sort()
}

function isEveryday(path) {
  return EVERYDAY.test(relative(SRC, path).replaceAll('\\', '/'))
}

function nameOf(path) {
  return `$${relative(SRC, path).replace(/\W/g, '_')}`
}
