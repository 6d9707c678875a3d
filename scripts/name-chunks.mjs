// Writes the files of a bundle under names that say who loads them, in place of esbuild's hashes: `chunk.js` is what main.js
// imports, `http-mcp.js` what http.js and mcp.js share. Names stay the same from build to build.
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { asCommonJs } from './common-js.mjs'

export function nameChunks(metafile, outputFiles) {
  const names = new Map(Object.keys(metafile.outputs).map((path) => [basename(path), nameOf(path, metafile.outputs)]))
  if (new Set(names.values()).size < names.size) throw new Error(`two files of one name: ${[...names.values()]}`)
  const anyName = new RegExp([...names.keys()].map((name) => name.replaceAll('.', '\\.')).join('|'), 'g')
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    const mode = text.startsWith('#!') ? 0o755 : 0o644
    const renamed = text.replace(anyName, (name) => names.get(name))
    writeFileSync(`${dirname(path)}/${names.get(basename(path))}`, asCommonJs(renamed), { mode })
  }
}

function nameOf(path, outputs) {
  if (outputs[path].entryPoint) return `${stem(path)}.js`
  const entries = Object.keys(outputs).filter((other) => outputs[other].entryPoint && reaches(other, path, outputs))
  const loadedBy = entries.map(stem).sort()
  return loadedBy.includes('program') ? 'chunk.js' : `${loadedBy.join('-')}.js`
}

function stem(path) {
  return basename(path).replace(/(-[A-Z0-9]{8})?\.js$/, '')
}

function reaches(from, to, outputs, seen = new Set()) {
  if (from === to) return true
  if (seen.has(from)) return false
  seen.add(from)
  return outputs[from].imports.some(({ path, kind, external }) => {
    return kind === 'import-statement' && !external && reaches(path, to, outputs, seen)
  })
}
