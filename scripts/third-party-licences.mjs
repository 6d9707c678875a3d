// The licences of the packages whose code is in dist/cli: they ask that their texts go where their code goes. What counts
// is what esbuild put into the files, not what is installed.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//

export function writeLicences(metafile, file) {
  const packages = bundledFolders(metafile).map(licenceOf)
  const texts = packages.map(
    ({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text.trim()}\n`,
  )
  const head = 'The files in this folder hold code of these packages, each under its own licence.\n'
  writeFileSync(file, [head, ...texts].join(`\n${'-'.repeat(80)}\n\n`))
}

function bundledFolders({ outputs }) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs))
  const folders = inputs.flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? (PACKAGE.exec(path)?.[1] ?? []) : [],
  )
  return [...new Set(folders)].sort()
}

function licenceOf(folder) {
  const { name, version, license: licence } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry))
  if (!licence || !file) throw new Error(`${name} has no licence that could go with its code`)
  return { name, version, licence, text: readFileSync(join(folder, file), 'utf8') }
}
