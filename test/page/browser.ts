/**
 * The page as people have it: the built program serves a real workspace, and Debian's Chromium shows it. What the browser complains about
 * is kept, and every picture, for who wants to look. Where there is no browser, the tests are skipped with the reason in their names.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterThisFile } from '../clean-up.ts'
import type { Desk } from '../cli/keepsake.ts'

const CHROMIUM = '/usr/bin/chromium'
/** Behind the names of tests that are skipped. */
export const MISSING: string = existsSync(CHROMIUM) ? '' : ` (skipped: there is no browser; apt-get install chromium)`

const PICTURES = resolve(import.meta.dirname, '../../.cache/screenshots')

export const WIDE = { width: 1200, height: 800 } as const
export const PHONE = { width: 360, height: 740 } as const

export interface Site {
  readonly desk: Desk
  /** Of the workspace. */
  readonly root: string
  readonly url: string
  /** Works once; then `nextLink` has another. */
  readonly link: string
  nextLink(): Promise<string>
}

/** `keepsake serve` on a workspace of its own, until the tests of the file are through. */
export async function served(desk: Desk, args: readonly string[] = []): Promise<Site> {
  const child = desk.start(['serve', '--port', '0', '--json', ...args])
  afterThisFile(async () => {
    const ended = new Promise((done) => child.once('exit', done))
    child.kill('SIGINT')
    await ended
  })
  const said: string[] = []
  child.stderr.on('data', (part) => said.push(String(part)))
  const { url, link } = JSON.parse(await firstLine(child.stdout))
  let links = 0
  const nextLink = async (): Promise<string> => {
    for (;;) {
      // By number: the last one that was read so far may be one that was used.
      const next = [...said.join('').matchAll(/For another one: (\S+)\n/g)][links]?.[1]
      if (next !== undefined) {
        links++
        return next
      }
      await new Promise((done) => setTimeout(done, 20))
    }
  }
  return { desk, root: desk.workspace, url, link, nextLink }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  return new Promise((done, failed) => {
    stream.on('data', (part) => {
      text += String(part)
      if (text.includes('\n')) done(text)
    })
    stream.once('end', () => failed(new Error(`the server ended: ${text}`)))
  })
}

export interface Shown {
  readonly page: Page
  /** What the console and the page complained of, and what was asked for elsewhere. */
  readonly complaints: string[]
}

let browser: Promise<Browser> | undefined

export async function launched(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-sync',
    ],
  })
  afterThisFile(async () => {
    const open = browser
    browser = undefined
    await (await open)?.close()
  })
  return browser
}

export interface ShowOptions {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly colorScheme?: 'light' | 'dark'
}

/** The page, opened by its link, in a browser of its own. */
export async function shown(site: Pick<Site, 'link' | 'url'>, options: ShowOptions = {}): Promise<Shown> {
  const context = await (await launched()).newContext({ viewport: WIDE, locale: 'en-GB', ...options })
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return
    complaints.push(`${message.type()}: ${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`))
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(site.url)) complaints.push(`asked for ${request.url()}`)
  })
  await page.goto(site.link)
  // Known only once the link has let this browser in: who goes elsewhere before that is locked out, and the link is used up.
  await page.getByLabel('Agent', { exact: true }).waitFor({ state: 'attached' })
  return { page, complaints }
}

export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: join(PICTURES, `${name}.png`) })
}

/** Nothing is being loaded any more. By a locator: the page's policy lets no function in that Playwright would wait with. */
export async function settled(page: Page): Promise<void> {
  await page.locator('[aria-busy=true], .loading').first().waitFor({ state: 'detached' })
}
