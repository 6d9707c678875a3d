/** Live updates in a real browser: nothing is loaded twice, nothing is missed, and any number of tabs may be open. */
import type { BrowserContext, Page, Request } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Desk } from '../cli/keepsake.ts'
import { MISSING, picture, type Site, served, settled, shown } from './browser.ts'

function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

describe.skipIf(MISSING !== '')(`live updates${MISSING}`, () => {
  let desk: Desk
  let site: Site
  let notes = 0
  let isLinkUsed = false

  beforeAll(async () => {
    desk = new Desk()
    await desk.make(['init'])
    await remember()
    site = await served(desk)
  })

  /** By another process; resolves with the name of the new note. */
  async function remember(agent = 'main'): Promise<string> {
    const name = `Note number ${++notes}`
    await desk.make(['remember', `The text of ${name}.`, '--name', name, '--agent', agent])
    return name
  }

  async function opened(): Promise<{ readonly page: Page; readonly context: BrowserContext }> {
    const link = isLinkUsed ? await site.nextLink() : site.link
    isLinkUsed = true
    const { page } = await shown({ ...site, link })
    const context = page.context()
    onTestFinished(() => context.close())
    // So that no request of the page that was opened comes late.
    await page.goto('about:blank')
    return { page, context }
  }

  const row = (page: Page, name: string) =>
    page.getByRole('list', { name: 'Entries' }).getByRole('link', { name, exact: false })

  /** How often each address of the API was asked for. */
  function counted(page: Page): Map<string, number> {
    const counts = new Map<string, number>()
    page.on('request', (request: Request) => {
      const path = /\/api\/v1(\/[^?]*)/.exec(request.url())?.[1]
      if (path !== undefined) counts.set(path, (counts.get(path) ?? 0) + 1)
    })
    return counts
  }

  /** Returns how many event streams the tabs have opened since. */
  function countStreams(context: BrowserContext): () => number {
    let streams = 0
    context.on('request', (request) => {
      if (request.url().includes('/events')) streams++
    })
    return () => streams
  }

  it('a view loads each thing once, and once more for each change', async () => {
    const { page } = await opened()
    const counts = counted(page)
    await page.clock.install()
    const stream = page.waitForResponse(/\/events/)
    await page.goto(`${site.url}/browse`)
    await row(page, 'Note number 1').waitFor()
    await settled(page)
    await stream
    // A load that `ready` asked for would be due by then.
    await page.clock.runFor(1000)
    const name = await remember()
    await row(page, name).waitFor()
    expect([...counts].sort()).toEqual([
      ['/entries', 2],
      ['/events', 1],
      ['/workspace', 2],
    ])
  })

  it('changes made while the connection was lost are shown when it is back', async () => {
    const { page } = await opened()
    const written = gate()
    let connections = 0
    await page.route('**/api/v1/events*', async (route) => {
      if (++connections > 1) {
        await written.passed
        return route.continue()
      }
      const { revision } = await (await route.fetch({ url: `${site.url}/api/v1/workspace` })).json()
      // Ready, and over.
      const body = `event: ready\ndata: ${JSON.stringify({ revision })}\n\n`
      return route.fulfill({ contentType: 'text/event-stream', body })
    })
    await page.goto(`${site.url}/browse`)
    await page.getByText('The connection is lost.').waitFor()
    const name = await remember()
    written.open()
    await row(page, name).waitFor()
    await page.getByText('The connection is lost.').waitFor({ state: 'detached' })
  })

  it('a tab that was hidden shows the changes made meanwhile', async () => {
    const { page } = await opened()
    await page.goto(`${site.url}/browse`)
    await row(page, 'Note number 1').waitFor()
    const become = (state: string): Promise<unknown> =>
      page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await become('hidden')
    const name = await remember()
    expect(await row(page, name).count()).toBe(0)
    await become('visible')
    await row(page, name).waitFor()
  })

  it('ten tabs all follow, even after the first one is closed', async () => {
    const { page, context } = await opened()
    const streams = countStreams(context)
    await page.goto(`${site.url}/browse`)
    const tabs = [page]
    for (let count = 1; count < 10; count++) {
      const tab = await context.newPage()
      await tab.goto(`${site.url}/browse`)
      tabs.push(tab)
    }
    const first = await remember()
    for (const tab of tabs) await row(tab, first).waitFor()
    expect(streams()).toBe(1)

    await page.close()
    const rest = tabs.slice(1)
    const second = await remember()
    for (const tab of rest) await row(tab, second).waitFor()
    expect(streams()).toBe(2)
    await picture(rest.at(-1) ?? page, 'the-tenth-tab')
  })

  it('tabs on nine agents share one stream, and each reloads only for its own agent', async () => {
    const agents = ['main', ...Array.from({ length: 8 }, (_, index) => `ag${index + 1}`)]
    for (const agent of agents) await remember(agent)
    const { page, context } = await opened()
    const streams = countStreams(context)
    const tabs: { readonly agent: string; readonly tab: Page; readonly counts: Map<string, number> }[] = []
    for (const agent of agents) {
      const tab = agent === 'main' ? page : await context.newPage()
      const counts = counted(tab)
      await tab.goto(`${site.url}/browse?agent=${agent}`)
      await row(tab, 'Note number').first().waitFor()
      await settled(tab)
      tabs.push({ agent, tab, counts })
    }
    for (const { counts } of tabs) counts.clear()
    for (const { agent, tab } of tabs) await row(tab, await remember(agent)).waitFor()
    expect(tabs.map(({ counts }) => counts.get('/entries'))).toEqual(agents.map(() => 1))
    expect(streams()).toBe(1)

    await page.close()
    const rest = tabs.slice(1)
    for (const { agent, tab } of rest) await row(tab, await remember(agent)).waitFor()
    expect(streams()).toBe(2)
    // How many entries each agent has is shown in every tab.
    const counts = rest[0]?.tab.getByRole('link', { name: /^ag8 / })
    await counts?.filter({ hasText: '3' }).waitFor()
  })

  it('a map is outdated after a change of what it shows, not when it is opened or another agent writes', async () => {
    const { page } = await opened()
    const point = { kind: 'note', scope: 'main', x: 0, y: 0 }
    const points = ['One', 'Two'].map((label) => ({ ...point, id: label, label }))
    await page.route('**/api/v1/map*', (route) => route.fulfill({ json: { points, missing: 0 } }))
    await page.goto(`${site.url}/map`)
    const outdated = page.getByText('The memory may have changed since this was drawn.')
    await page.getByText('2 in sight').waitFor()
    await remember('beside')
    await page.getByRole('option', { name: 'beside' }).waitFor({ state: 'attached' })
    expect(await outdated.count()).toBe(0)
    await remember()
    await outdated.waitFor()
    await page.getByRole('button', { name: 'Draw it anew' }).click()
    await outdated.waitFor({ state: 'detached' })
  })

  it('an entry that is being forgotten is not reported as gone before the answer', async () => {
    const { page } = await opened()
    const name = await remember()
    await page.goto(`${site.url}/browse`)
    await row(page, name).click()
    const gone = page.getByText('This entry is gone.')
    const forgotten = gate()
    await page.route('**/api/v1/entries/*', async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue()
      const response = await route.fetch()
      await forgotten.passed
      return route.fulfill({ response })
    })
    const notFound = page.waitForResponse((response) => response.status() === 404)
    await page.getByRole('button', { name: 'Forget' }).click()
    await page.getByRole('button', { name: 'Forget it' }).click()
    await notFound
    const later = await remember()
    await row(page, later).waitFor()
    expect(await gone.count()).toBe(0)
    forgotten.open()
    await page.getByText('Choose an entry to read it here.').waitFor()
    expect(await gone.count()).toBe(0)
  })
})
