// The command line as a few files instead of two hundred: loading modules one by one was half of a command's time. An
// everyday command loads main.js, program.js and chunk.js, the MCP server mcp.js besides, what serves over HTTP http.js, a conversation session.js, what asks a model
// agent.js, what makes vectors embed.js, what talks to a running server local.js, what opens a memory in one file file.js, one on a
// server postgres.js or chroma.js, and what is seldom asked for is in rarely.js. Rejected, because measured: one file, for every command pays for reading all of it; a file for each import(),
// for many files cost more than one that is too long. Packages that only the program needs are bundled and are development
// dependencies (docs/decisions/0013). `yaml` and the stemmers of other languages are left out, because most commands never
// load them and the library needs them too.
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { build } from 'esbuild'
import { leanSdk } from './lean-sdk.mjs'
import { nameChunks } from './name-chunks.mjs'
import { writeLicences } from './third-party-licences.mjs'

const SRC = resolve(import.meta.dirname, '../src')
const OUT = 'dist/cli'
const PROGRAM = join(SRC, 'cli/program.ts')

const EVERYDAY_COMMANDS = 'remember|recall|learn|reflect|forget|rename|alias|show|list|context|hook'

/** Which file an import() leads to: the first that fits. What is everyday is imported at once. */
const PLACES = [
  [
    'everyday',
    `cli/commands/(${EVERYDAY_COMMANDS})|cli/(program|context|open-workspace|asked-config|version)|config/find-workspace|memory|memory/(auto-recall|context|open|searching)|prompt/.*|session/echo/injections|stores/filesystem/store|model/.*`,
  ],
  ['http', 'mcp/http/.*|http/.*|cli/page|cli/sample/.*|api/.*'],
  ['mcp', 'cli/commands/(mcp|serve)|cli/http-options|mcp/.*|tools/.*|memory/recalls|stores/filesystem/watch'],
  ['session', 'session/.*|cli/commands/session(/.*)?|cli/hook/(transcript-file|condense-later)'],
  ['agent', 'agent/.*|consolidate/.*|complete/.*|cli/commands/(chat|consolidate|review)|cli/asked-model'],
  ['local', 'local/.*'],
  ['postgres', 'stores/postgres/.*'],
  ['file', 'stores/(file|engine)/.*'],
  ['chroma', 'stores/chroma/.*'],
  ['embed', 'embed/.*|memory/embedding|recall/vectors/.*|cli/commands/(embed|setup)|cli/setup/.*'],
  ['rarely', '.*'],
].map(([place, paths]) => ({ place, pattern: new RegExp(`^(${paths})\\.ts$`) }))

/** Small, and wanted by several of these files: with what every command loads they cost less than as a file for each such group. */
const SHARED = [
  'model/unreadable',
  'model/shell-line',
  'model/redaction',
  'model/plan-batch',
  'cli/change-json',
  'cli/known-session',
  'cli/named-file',
  'cli/session-text',
  'complete/foreign-in',
]

/** Loaded before it, as the program is before all: what both have is no file of its own then. */
const LOADED_BEFORE = { http: ['mcp'] }

const DYNAMIC_IMPORT = /(?<!typeof )\bimport\('(\.[^']+)'\)/g

const { metafile, outputFiles } = await build({
  entryPoints: ['src/cli/program.ts'],
  outdir: OUT,
  bundle: true,
  splitting: true,
  chunkNames: '[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: ['yaml', '@orama/stemmers'],
  legalComments: 'inline',
  logLevel: 'warning',
  metafile: true,
  write: false,
  plugins: [{ name: 'few-files', setup: intoFewFiles }, leanSdk],
})
nameChunks(metafile, outputFiles)
writeLicences(metafile, join(OUT, 'THIRD-PARTY-LICENSES.txt'))
await build({
  entryPoints: ['src/cli/main.ts'],
  outdir: OUT,
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  minify: true,
  define: { 'import.meta.dirname': '__dirname' },
  supported: { 'dynamic-import': false },
  plugins: [{ name: 'program', setup: leaveOutProgram }],
  logLevel: 'warning',
})
chmodSync(join(OUT, 'main.js'), 0o755)
writeFileSync(join(OUT, 'package.json'), '{"type":"commonjs"}\n')

/** main.js must not hold it: see src/cli/main.ts. */
function leaveOutProgram(bundle) {
  bundle.onResolve({ filter: /\/program\.ts$/ }, () => ({ path: './program.js', external: true }))
}

/** esbuild makes a file of every import(). So everyday ones become plain imports, and the others share a target each. */
function intoFewFiles(bundle) {
  bundle.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
    contents: withFewerTargets(readFileSync(path, 'utf8'), dirname(path)) + (path === PROGRAM ? sharedImports() : ''),
    loader: 'ts',
  }))
  bundle.onResolve({ filter: /^keepsake:/ }, ({ path }) => ({
    path: path.replace('keepsake:', ''),
    namespace: 'place',
  }))
  bundle.onLoad({ filter: /.*/, namespace: 'place' }, ({ path }) => ({ contents: targetsIn(path), resolveDir: SRC }))
}

function sharedImports() {
  const paths = SHARED.map((file) => join(SRC, `${file}.ts`))
  return paths.map((path) => `\nimport * as ${nameOf(path)} from ${JSON.stringify(path)}`).join('')
}

function withFewerTargets(code, folder) {
  const imports = new Set()
  const body = code.replace(DYNAMIC_IMPORT, (_, specifier) => {
    const path = join(folder, specifier)
    const place = placeOf(path)
    if (place !== 'everyday') return `import('keepsake:${place}').then((all) => all.${nameOf(path)})`
    imports.add(`import * as ${nameOf(path)} from '${specifier}'`)
    return `Promise.resolve(${nameOf(path)})`
  })
  return [body, ...imports].join('\n')
}

/** With all that is loaded by then: else esbuild would cut that up by who shares what. */
function targetsIn(place) {
  const files = readdirSync(SRC, { recursive: true }).filter((file) => /(?<!\.test)\.ts$/.test(file))
  const targets = files.flatMap((file) => {
    const code = readFileSync(join(SRC, file), 'utf8')
    return [...code.matchAll(DYNAMIC_IMPORT)].map(([, specifier]) => join(SRC, dirname(file), specifier))
  })
  const places = [place, ...(LOADED_BEFORE[place] ?? [])]
  const here = [...new Set(targets)].filter((path) => places.includes(placeOf(path))).sort()
  return [PROGRAM, ...here].map((path) => `export * as ${nameOf(path)} from ${JSON.stringify(path)}`).join('\n')
}

function placeOf(path) {
  const file = relative(SRC, path).replaceAll('\\', '/')
  return PLACES.find(({ pattern }) => pattern.test(file)).place
}

function nameOf(path) {
  return `$${relative(SRC, path).replace(/\W/g, '_')}`
}
