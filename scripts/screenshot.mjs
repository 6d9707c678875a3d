// The pictures of the page in docs/images: the built program serves its sample in a folder of its own, and a browser looks at it. Waits for
// what a person would see, never for a time. By words alone, so that the hits are the same on every machine.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { chromium } from 'playwright-core'
import { smallPng } from './small-png.mjs'

const ROOT = resolve(import.meta.dirname, '..')
const IMAGES = join(ROOT, 'docs/images')
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium'
const SIZE = { width: 1200, height: 800 }
const QUESTION = 'why could two boats book the same berth?'

const entry = (page) => page.getByRole('link', { name: /Double bookings/ }).first()

const SHOTS = [
  {
    name: 'browse',
    address: '/browse',
    prepare: async (page) => {
      await entry(page).click()
      await page.getByRole('heading', { name: 'BER-231: two boats in berth 14' }).waitFor()
    },
  },
  {
    name: 'recall',
    address: `/recall?${new URLSearchParams({ q: QUESTION })}`,
    prepare: (page) => entry(page).waitFor(),
  },
  {
    name: 'changes',
    address: '/changes',
    prepare: (page) => page.getByText('Release checklist').first().waitFor(),
  },
]

const folder = mkdtempSync(join(tmpdir(), 'keepsake-screenshot-'))
const server = spawn(
  process.execPath,
  [join(ROOT, 'dist/cli/main.js'), 'serve', '--sample', '--port', '0', '--json', '--quiet'],
  {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TZ: 'UTC', KEEPSAKE_EMBEDDING_MODEL: 'none' },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
const ended = new Promise((resolve) => server.once('close', resolve))
try {
  const { url, link } = await served()
  mkdirSync(IMAGES, { recursive: true })
  await takePictures(url, link)
} finally {
  server.kill('SIGINT')
  await ended
  rmSync(folder, { recursive: true, force: true })
}

function served() {
  return new Promise((resolve, reject) => {
    server.stdout.once('data', (bytes) => resolve(JSON.parse(bytes.toString())))
    server.once('close', (status) => reject(new Error(`keepsake serve ended with ${status}`)))
  })
}

async function takePictures(url, link) {
  const browser = await chromium.launch({
    executablePath: BROWSER,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    const context = await browser.newContext({
      viewport: SIZE,
      deviceScaleFactor: 1,
      colorScheme: 'light',
      reducedMotion: 'reduce',
    })
    await context.route('**/api/v1/workspace', withPlainRoot)
    const page = await context.newPage()
    await page.goto(link)
    await page.getByText('This is a sample').waitFor()
    for (const { name, address, prepare } of SHOTS) {
      await page.goto(url + address)
      await prepare(page)
      await page.evaluate(() => document.fonts.ready)
      const png = smallPng(await page.screenshot({ animations: 'disabled', caret: 'hide' }))
      const path = join(IMAGES, `page-${name}.png`)
      writeFileSync(path, png)
      console.log(`${relative(ROOT, path)}  ${Math.round(png.length / 1000)} kB`)
    }
  } finally {
    await browser.close()
  }
}

/** The folder of this run is of no interest to anybody. */
async function withPlainRoot(route) {
  const response = await route.fetch()
  await route.fulfill({ response, json: { ...(await response.json()), root: '~/berth/sample' } })
}
