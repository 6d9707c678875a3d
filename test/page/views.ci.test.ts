/** Every view in a real browser: it shows what there is, wide and on a phone, light and dark; nothing complains, and axe finds nothing serious. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { Desk } from '../cli/keepsake.ts'
import { MISSING, PHONE, picture, type Shown, type Site, served, settled, shown, WIDE } from './browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Where each view is, and something that it shows. */
const VIEWS: readonly (readonly [name: string, path: string, sign: RegExp])[] = [
  ['browse', '/browse', /MEMORY/],
  ['browse, an entry', '/browse?entry=ID', /Before a release/],
  ['browse, editing', '/browse?new=1', /Text/],
  ['recall', '/recall?q=postgres', /hits/],
  ['recall, nothing found', '/recall?q=zzzz', /nothing|no hit/i],
  ['timeline', '/timeline', /2026|Today|day/],
  ['timeline, a session', '/timeline?session=KEY', /user|assistant/i],
  ['changes', '/changes', /Change \d+/],
  ['context', '/context', /tokens/],
  ['overview', '/overview', /Growth/],
  ['map', '/map', /model|meaning/i],
]

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

async function serious(page: Page): Promise<string[]> {
  // Through the debugger: the page's own policy lets no script in.
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: AXE })
  const { result } = await session.send('Runtime.evaluate', {
    expression: 'axe.run().then((found) => JSON.stringify(found.violations))',
    awaitPromise: true,
  })
  const findings: readonly Finding[] = JSON.parse(result.value)
  return findings
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
    )
}

describe.skipIf(MISSING !== '')(`the page${MISSING}`, () => {
  let site: Site
  let paths: ReadonlyMap<string, string>

  beforeAll(async () => {
    const desk = new Desk()
    site = await served(desk, ['--sample'])
    const { stdout } = await desk.run(['show', 'Release checklist', '--json', '--workspace', 'sample'])
    const sessions = await desk.run(['session', 'list', '--json', '--workspace', 'sample'])
    const key = JSON.parse(sessions.stdout).sessions[0].key
    const filled = VIEWS.map(
      ([name, path]) =>
        [name, path.replace('ID', JSON.parse(stdout).entry.id).replace('KEY', encodeURIComponent(key))] as const,
    )
    paths = new Map(filled)
  })

  const ways = [
    ['wide and light', WIDE, 'light'],
    ['on a phone, dark', PHONE, 'dark'],
    ['wide and dark', WIDE, 'dark'],
    ['on a phone, light', PHONE, 'light'],
  ] as const

  describe.each(ways)('%s', (way, viewport, colorScheme) => {
    let page: Shown['page']
    let complaints: Shown['complaints']

    beforeAll(async () => {
      const link = way === 'wide and light' ? site.link : await site.nextLink()
      ;({ page, complaints } = await shown({ ...site, link }, { viewport, colorScheme }))
    })

    it.each(VIEWS)('shows %s', async (name, _path, sign) => {
      await page.goto(`${site.url}${paths.get(name)}`)
      await page.getByRole('main').getByText(sign).locator('visible=true').first().waitFor()
      await settled(page)
      await picture(page, `${name}, ${way}`.replace(/\W+/g, '-'))
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
      const wider = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      expect(wider).toBe(0)
      expect(await serious(page)).toEqual([])
      expect(complaints).toEqual([])
    })
  })

  it('would notice something serious', async () => {
    const { page } = await shown({ ...site, link: await site.nextLink() })
    await page.evaluate('document.body.append(document.createElement("img"))')
    expect((await serious(page)).join()).toContain('image-alt')
  })

  it('says who is locked out how to get in, and a used link does not', async () => {
    const { page } = await shown({ ...site, link: await site.nextLink() })
    await page.context().clearCookies()
    await page.reload()
    await page
      .getByText(/keepsake serve/)
      .first()
      .waitFor()
    await picture(page, 'locked-out')
    await page.goto(`${site.url}/`)
    await page.goto(site.link)
    await page
      .getByText(/keepsake serve/)
      .first()
      .waitFor()
  })
})
