/** Memories are untrusted text: two hundred payloads in every field that anybody may write, shown by every view, and none of them runs. */

import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { Desk } from '../cli/keepsake.ts'
import { MISSING, type Site, served, settled, shown } from './browser.ts'
import { PAYLOADS } from './payloads.ts'

/** Payloads in one entry: few, so that none hides another. */
const STEP = 12

describe.skipIf(MISSING !== '')(`what memories say${MISSING}`, () => {
  let site: Site
  let page: Page
  let complaints: string[]
  let ids: readonly string[]
  let calls = 0

  beforeAll(async () => {
    const desk = new Desk()
    await desk.run(['init'])
    ids = await poison(desk.workspace)
    site = await served(desk)
    ;({ page, complaints } = await shown(site))
    await page.exposeFunction('pwned', () => {
      calls++
    })
  })

  it('are more than two hundred payloads, and one that runs would be noticed', async () => {
    expect(new Set(PAYLOADS).size).toBeGreaterThanOrEqual(200)
    await page.goto(`${site.url}/browse`)
    await page.evaluate('pwned()')
    expect(calls).toBe(1)
    calls = 0
  })

  it('run in no list and in no entry, rendered or as source, read or edited', async () => {
    for (const sort of ['updated', 'name']) {
      await page.goto(`${site.url}/browse?sort=${sort}`)
      await page.getByRole('list', { name: 'Entries' }).getByRole('link').first().waitFor()
    }
    for (const id of ids) {
      await page.goto(`${site.url}/browse?entry=${id}`)
      const entry = page.getByRole('region', { name: 'Entry', exact: true })
      await entry.getByRole('button', { name: 'Edit' }).waitFor()
      await entry.getByText('the end of it').first().waitFor()
    }
    const entry = page.getByRole('region', { name: 'Entry', exact: true })
    await entry.getByRole('tab', { name: 'Source' }).click()
    await entry.getByRole('button', { name: 'Edit' }).click()
    await entry.getByRole('textbox', { name: 'Text' }).waitFor()
    expect([calls, complaints]).toEqual([0, []])
  })

  it('run in no other view', async () => {
    const poisoned = encodeURIComponent(PAYLOADS[12] ?? '')
    const paths = [
      '/recall?q=pwned&limit=100',
      `/recall?q=${poisoned}`,
      '/timeline',
      '/timeline?show=sessions',
      `/timeline?session=${encodeURIComponent(SESSION)}`,
      '/changes',
      `/changes?session=${poisoned}`,
      '/context',
      '/overview',
      '/map',
      `/browse?agent=${poisoned}`,
      `/browse?entry=${poisoned}`,
      `/browse?asOf=${poisoned}`,
      `/browse?kind=${poisoned}&scope=${poisoned}&sort=${poisoned}`,
    ]
    for (const path of paths) {
      await page.goto(`${site.url}${path}`)
      await page.getByRole('main').getByRole('heading').first().waitFor()
      await settled(page)
    }
    await page.goto(`${site.url}/context`)
    await page.getByRole('main').getByRole('textbox').first().fill('pwned')
    await page.getByRole('heading', { name: 'Recall' }).waitFor()
    // An agent, an entry or a time that is none is an answer that a browser calls an error.
    const others = complaints.filter((text) => !/status of (?:400|404)/.test(text))
    expect([calls, others]).toEqual([0, []])
  })

  it('open nothing but addresses of the web, in a window of its own', async () => {
    const entry = page.getByRole('region', { name: 'Entry', exact: true })
    const links: string[] = []
    for (const id of ids) {
      await page.goto(`${site.url}/browse?entry=${id}`)
      await entry.getByText('the end of it').first().waitFor()
      links.push(
        ...(await entry
          .getByRole('article')
          .locator('a[target]')
          .evaluateAll((all) => all.map(({ outerHTML }) => outerHTML))),
      )
    }
    for (const link of links) expect(link).toMatch(/^<a (?=[^>]*rel="[^"]*noopener)[^>]*href="(?:https?:|mailto:)/)
    expect(await page.locator('iframe, object, embed, base, form[action], main img').count()).toBe(0)
    expect(calls).toBe(0)
  })
})

const SESSION = '"><img src=x onerror=pwned()>'

/** Every field that takes any text, a few payloads an entry. */
async function poison(workspace: string): Promise<string[]> {
  const memory = await openMemory({ workspace: join(workspace), embed: 'none' })
  const ids: string[] = []
  for (let first = 0; first < PAYLOADS.length; first += STEP) {
    const some = PAYLOADS.slice(first, first + STEP)
    const name = (some[0] ?? '').replace(/\s+/g, ' ').slice(0, 180)
    const { entry } = await memory.remember(`${some.join('\n\n')}\n\nthe end of it`, {
      name: `${name} ${first}`,
      description: some[1] ?? '',
      aliases: [`${(some[2] ?? '').replace(/\s+/g, ' ').slice(0, 180)} ${first}`],
      metadata: Object.fromEntries(some.map((text, index) => [`${text.slice(0, 60)}${index}`, text])),
    })
    ids.push(entry.id)
    await memory.remember(some.join('\n'))
    await memory.learnFact(`topic ${name}`, some.join('\n\n'))
  }
  await memory.reflect(PAYLOADS.slice(0, 40).join('\n'))
  await memory.setContext(PAYLOADS[0] ?? '', PAYLOADS[12] ?? '')
  const session = memory.session(SESSION)
  await session.append(
    PAYLOADS.slice(0, 30).map((content) => ({ role: 'user', content, tools: [content.slice(0, 40)] })),
  )
  await session.compact({ summary: PAYLOADS.slice(0, 20).join('\n') })
  await memory.close()
  return ids
}
