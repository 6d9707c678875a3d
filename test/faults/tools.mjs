// The tools of the fault tests: a preloaded shim that breaks the n-th file-system call, a disk that is full, a disk whose
// power is cut. What a machine cannot offer is a value, `{ missing: reason }`, and never a silent pass; what it offers but
// fails at is an error. Plain JavaScript, so that scripts run it without a build.
import { execFileSync, spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const buildFolder = join(here, '.build')
/** Far more than a child needs, because a busy machine may delay it. */
const CHILD_LIMIT_MS = 300_000

export const callNames = [
  ...['open', 'openat', 'creat'],
  ...['write', 'pwrite', 'writev', 'pwritev', 'sendfile', 'copy_file_range', 'ftruncate', 'truncate'],
  ...['fsync', 'fdatasync'],
  ...['rename', 'renameat', 'renameat2', 'unlink', 'unlinkat', 'rmdir', 'mkdir', 'mkdirat', 'mkdtemp'],
  ...['link', 'linkat', 'symlink', 'symlinkat'],
  ...['chmod', 'fchmod', 'fchmodat', 'chown', 'lchown', 'fchown', 'utimensat', 'futimens'],
  ...['read', 'stat'],
]

function findBinary(name) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin', '/usr/bin', '/bin']
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((path) => isExecutable(path))
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export function compiler() {
  return findBinary('cc') ?? findBinary('gcc') ?? findBinary('clang')
}

export function buildShim() {
  return build({
    source: 'shim.c',
    suffix: '.so',
    flags: ['-shared', '-fPIC', '-O1'],
    libraries: ['-ldl', '-lpthread'],
  })
}

export function buildGodown() {
  return build({ source: 'godown.c', suffix: '', flags: ['-O1'], libraries: [] })
}

const built = new Map()

function build(recipe) {
  if (!built.has(recipe.source)) built.set(recipe.source, compile(recipe))
  return built.get(recipe.source)
}

// Workers may build at once: each compiles to its own name and renames, so that nobody sees half a file.
function compile({ source, suffix, flags, libraries }) {
  if (process.platform !== 'linux') return { missing: `${source} needs Linux, this is ${process.platform}` }
  if (!runsOnGlibc()) return { missing: `${source} needs glibc` }
  const cc = compiler()
  if (cc === undefined) return { missing: `${source} needs a C compiler: no cc, gcc or clang found` }

  const file = join(here, source)
  const key = createHash('sha256')
    .update(JSON.stringify([readFileSync(file, 'utf8'), cc, flags, libraries, process.arch]))
    .digest('hex')
    .slice(0, 16)
  const path = join(buildFolder, `${source.replace(/\.c$/, '')}-${key}${suffix}`)
  if (existsSync(path)) return { path }

  mkdirSync(buildFolder, { recursive: true })
  const temporary = `${path}.${randomUUID()}`
  quietly(cc, [...flags, '-o', temporary, file, ...libraries])
  renameSync(temporary, path)
  return { path }
}

function runsOnGlibc() {
  const network = process.report.excludeNetwork
  process.report.excludeNetwork = true
  try {
    return process.report.getReport().header.glibcVersionRuntime !== undefined
  } finally {
    process.report.excludeNetwork = network
  }
}

export async function runFaulty({ args, root, at, mode, sticky, only, input, env, cwd, timeoutMs = CHILD_LIMIT_MS }) {
  const shim = buildShim()
  if ('missing' in shim) throw new Error(`cannot run with faults: ${shim.missing}`)
  const unknown = (only ?? []).filter((name) => !callNames.includes(name))
  if (unknown.length > 0) throw new Error(`the shim knows no call named ${unknown.join(', ')}`)

  const logs = mkdtempSync(join(tmpdir(), 'keepsake-faults-'))
  try {
    const callLog = join(logs, 'calls')
    const syncTwiceLog = join(logs, 'synced-twice')
    const ended = await run(args, {
      input,
      cwd,
      timeoutMs,
      env: {
        ...cleanEnvironment(),
        ...env,
        LD_PRELOAD: [shim.path, env?.LD_PRELOAD].filter(Boolean).join(':'),
        FAULT_ROOT: resolve(root),
        FAULT_LOG: callLog,
        FAULT_SYNC_TWICE_LOG: syncTwiceLog,
        ...(at === undefined ? {} : { FAULT_AT: String(at) }),
        ...(mode === undefined ? {} : { FAULT_MODE: mode }),
        ...(sticky ? { FAULT_STICKY: '1' } : {}),
        ...(only === undefined ? {} : { FAULT_ONLY: only.join(',') }),
      },
    })
    if (ended.status === 125 && ended.stderr.startsWith('fault shim:')) throw new Error(ended.stderr.trim())
    return {
      ...ended,
      calls: readCalls(callLog),
      syncedTwice: logLines(syncTwiceLog).map(unescapePath),
    }
  } finally {
    rmSync(logs, { recursive: true, force: true })
  }
}

// Only what a program needs to start. NODE_OPTIONS and the test runner's variables would change what is tested, and a set
// NODE_EXTRA_CA_CERTS triples the start. io_uring would go round the shim.
export function cleanEnvironment() {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ']
    .map((name) => [name, process.env[name]])
    .filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(kept), UV_USE_IO_URING: '0' }
}

function run(args, { input, cwd, timeoutMs, env }) {
  return new Promise((settle, reject) => {
    const child = spawn(process.execPath, args, { cwd, env, stdio: 'pipe' })
    const output = { stdout: [], stderr: [] }
    child.stdout.on('data', (chunk) => output.stdout.push(chunk))
    child.stderr.on('data', (chunk) => output.stderr.push(chunk))
    child.stdin.on('error', (error) => {
      // A killed program does not read its input to the end.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error)
    })
    child.stdin.end(input)
    const text = (name) => Buffer.concat(output[name]).toString('utf8')

    let late = false
    const timer = setTimeout(() => {
      late = true
      child.kill('SIGKILL')
    }, timeoutMs)
    child.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.on('close', (status, signal) => {
      clearTimeout(timer)
      // An error, since the SIGKILL would look like the fault that was asked for.
      if (late) reject(new Error(`did not end within ${timeoutMs} ms\n${text('stdout')}\n${text('stderr')}`))
      else settle({ status, signal, stdout: text('stdout'), stderr: text('stderr') })
    })
  })
}

/** The calls in a log of the shim, in order. */
export function readCalls(log) {
  return logLines(log)
    .map(parseCall)
    .sort((a, b) => a.index - b.index)
}

/** Waits until a child that runs with the shim's `stop` has stopped, with all of its threads; `false` when it has ended. */
export async function waitUntilStopped(child) {
  const until = Date.now() + CHILD_LIMIT_MS
  while (child.exitCode === null && child.signalCode === null) {
    if (Date.now() > until) throw new Error(`neither stopped nor ended within ${CHILD_LIMIT_MS} ms`)
    if (threadStates(child.pid).every((state) => state === 'T')) return true
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return false
}

function threadStates(pid) {
  const stateOf = (stat) => readFileSync(stat, 'utf8').replace(/^.*\) /s, '')[0]
  try {
    const first = stateOf(`/proc/${pid}/stat`)
    if (first !== 'T') return [first]
    return readdirSync(`/proc/${pid}/task`).map((thread) => stateOf(`/proc/${pid}/task/${thread}/stat`))
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error
    return ['gone']
  }
}

// A program that never came to a counted call still opened its logs, so a missing log means that the shim was not loaded.
function logLines(path) {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1)
}

function parseCall(line) {
  const [, index, name, path] = /^(\d+) (\S+) (.*)$/.exec(line)
  return { index: Number(index), name, path: unescapePath(path) }
}

function unescapePath(text) {
  return text.replace(/\\(.)/g, (_, letter) => (letter === 'n' ? '\n' : letter))
}

export function smallTmpfs(bytes) {
  const reason = cannotMount()
  if (reason !== undefined) return { missing: `a small tmpfs: ${reason}` }

  const disk = mountPoint()
  const mounted = disk.mount(['-t', 'tmpfs', '-o', `size=${bytes},mode=0700`, 'tmpfs'])
  if (mounted !== undefined) {
    disk.free()
    return { missing: `a small tmpfs: ${mounted}` }
  }
  // The ballast stands beside the folder and not in it: whoever lists the folder sees only its own files.
  const folder = join(disk.folder, 'disk')
  const ballast = join(disk.folder, 'ballast')
  mkdirSync(folder)

  const release = () => rmSync(ballast, { force: true })
  return {
    folder,
    free: disk.free,
    release,
    fill(leave) {
      release()
      const { bavail, bsize } = statfsSync(disk.folder)
      const pages = Math.max(0, bavail - Math.ceil(leave / bsize))
      writeFileSync(ballast, Buffer.alloc(pages * bsize))
    },
  }
}

export function loopDisk(megabytes) {
  const mkfs = findBinary('mkfs.ext4')
  const godown = buildGodown()
  const reason =
    cannotMount() ??
    (mkfs === undefined ? 'no mkfs.ext4 found' : undefined) ??
    (existsSync('/dev/loop-control') ? undefined : 'no loop devices') ??
    godown.missing
  if (reason !== undefined) return { missing: `a loop disk: ${reason}` }

  const disk = mountPoint()
  const image = join(disk.base, 'image')
  const mount = () => disk.mount(['-t', 'ext4', '-o', 'loop', image])
  try {
    makeImage(mkfs, image, megabytes)
  } catch (error) {
    disk.free()
    throw error
  }
  const mounted = mount()
  if (mounted !== undefined) {
    disk.free()
    return { missing: `a loop disk: ${mounted}` }
  }

  return {
    folder: disk.folder,
    free: disk.free,
    cut() {
      quietly(godown.path, [disk.folder])
      disk.unmount()
    },
    remount() {
      const failed = mount()
      if (failed !== undefined) throw new Error(`cannot mount the disk again: ${failed}`)
    },
  }
}

function makeImage(mkfs, image, megabytes) {
  const file = openSync(image, 'wx')
  ftruncateSync(file, megabytes * 1024 * 1024)
  closeSync(file)
  quietly(mkfs, ['-q', image])
}

function cannotMount() {
  if (process.platform !== 'linux') return `needs Linux, this is ${process.platform}`
  if (process.getuid() !== 0) return 'mounting needs root'
  if (findBinary('mount') === undefined || findBinary('umount') === undefined) return 'no mount command found'
  return undefined
}

// A temporary folder with a place to mount on. Whatever happens, free() leaves nothing mounted.
function mountPoint() {
  const base = mkdtempSync(join(tmpdir(), 'keepsake-disk-'))
  const folder = join(base, 'mount')
  mkdirSync(folder)
  const guard = guardMount(base, folder)
  let isMounted = false

  const unmount = () => {
    retryBusy(() => quietly(findBinary('umount'), [folder]))
    isMounted = false
  }
  const free = () => {
    try {
      if (isMounted) quietly(findBinary('umount'), [folder])
    } catch {
      quietly(findBinary('umount'), ['--lazy', folder])
    }
    isMounted = false
    rmSync(base, { recursive: true, force: true })
    guard.kill()
  }

  return {
    base,
    folder,
    unmount,
    free,
    // Returns why it did not work.
    mount(args) {
      try {
        quietly(findBinary('mount'), [...args, folder])
        isMounted = true
        return undefined
      } catch (error) {
        return String(error.stderr ?? error).trim()
      }
    },
  }
}

// A test runner may kill its worker before free() is called, and without an exit event. So a shell waits for the end of its
// input, which comes with our own end however that comes, and cleans up.
function guardMount(base, folder) {
  const script = 'read -r _; umount --lazy "$1"; rm -rf --one-file-system "$0"'
  const guard = spawn('sh', ['-c', script, base, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  guard.unref()
  guard.stdin.unref()
  return guard
}

function quietly(binary, args) {
  execFileSync(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}

// A process that was just killed may hold its files for a moment longer. One that lives makes this fail, and rightly: a
// lazy unmount would leave the cut disk attached, and mounting it again would give back the same dead file system.
function retryBusy(action, attempts = 40) {
  for (let attempt = 1; ; attempt++) {
    try {
      return action()
    } catch (error) {
      if (attempt === attempts || !String(error.stderr).includes('busy')) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    }
  }
}
