// The two programs that are not JavaScript, made of their sources for this very machine, each time: it takes seconds.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const CACHE = new URL('../.cache/', import.meta.url).pathname

/** @returns the program, or the reason why there is none */
export function compileScan() {
  return compile('cc', 'scan.c', ['-ffast-math'])
}

/** hnswlib is headers only; the package brings them and would compile its binding at install, which is not needed here. */
export function compileHnsw() {
  const headers = new URL('src/hnswlib', import.meta.resolve('hnswlib-node/package.json')).pathname
  return compile('c++', 'hnsw.cpp', ['-std=c++17', '-I', headers])
}

function compile(compiler, source, flags) {
  fs.mkdirSync(CACHE, { recursive: true })
  const program = path.join(CACHE, path.parse(source).name)
  const from = new URL(source, import.meta.url).pathname
  const { status, stderr, error } = spawnSync(compiler, ['-O3', '-march=native', ...flags, '-o', program, from], {
    encoding: 'utf8',
  })
  return status === 0
    ? { program }
    : { problem: `${compiler} gives no program of ${source}: ${error?.message ?? stderr}` }
}
