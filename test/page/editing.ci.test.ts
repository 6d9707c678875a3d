/** What a person does: edits on the page and in an editor, each seen by the other, conflicts, undo; also by keys alone and on a phone. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { Desk } from '../cli/keepsake.ts'
import { MISSING, PHONE, picture, type Site, served, shown } from './browser.ts'

describe.skipIf(MISSING !== '')(`a person at the page${MISSING}`, () => {
  let site: Site
  let page: Page
  let complaints: string[]

  beforeAll(async () => {
    const desk = new Desk()
    const say = async (...args: string[]): Promise<void> => {
      expect((await desk.run(args)).status).toBe(0)
    }
    await say('init')
    await say('learn', 'Staging server', 'Its name is heron. It restarts at 04:00.')
    for (const name of ['Deploys', 'Posters', 'Fairs', 'Flags', 'Keys', 'Phones', 'Lamps', 'Doors', 'Gates']) {
      await say('remember', `The first text of ${name}.`, '--name', name)
    }
    site = await served(desk)
    ;({ page, complaints } = await shown(site))
  })

  const fileOf = (name: string): string => join(site.root, `agents/main/entries/${name.toLowerCase()}.md`)
  const entry = (): Locator => page.getByRole('region', { name: 'Entry', exact: true })
  const notices = (): Locator => page.getByRole('region', { name: /notices/i }).or(page.locator('[aria-live]'))

  /** The file is written before the page has its answer. Until then the editor is open, and the browser would ask before it leaves. */
  async function open(path: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Text' }).waitFor({ state: 'detached' })
    await page.goto(`${site.url}${path}`)
  }

  async function openEntry(name: string): Promise<void> {
    await open('/browse?kind=note')
    await page.getByRole('list', { name: 'Entries' }).getByRole('link', { name }).click()
    await entry().getByRole('heading', { name, level: 2 }).waitFor()
  }

  async function edit(text: string): Promise<void> {
    await entry().getByRole('button', { name: 'Edit' }).click()
    await entry().getByRole('textbox', { name: 'Text' }).fill(text)
  }

  const save = (): Promise<void> => entry().getByRole('button', { name: 'Save' }).click()
  const shows = (text: string): Promise<void> => entry().getByText(text).first().waitFor()

  /** The browser tells its console of every request that failed, also where that was the point. */
  const forgive = (told: string): void => {
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes(told)))
  }

  it('finds an entry by a question, edits it and sees the file change, and undoes it', async () => {
    await open('/recall')
    await page.getByRole('searchbox').fill('when does heron restart?')
    await page.getByRole('main').getByRole('link', { name: 'Staging server' }).click()
    await shows('Its name is heron.')
    await edit('Its name is heron. It restarts at 05:00.')
    await save()
    await shows('It restarts at 05:00.')
    const file = join(site.root, 'world/staging-server.md')
    expect(readFileSync(file, 'utf8')).toContain('05:00')
    await notices().getByRole('button', { name: /undo/i }).first().click()
    await shows('It restarts at 04:00.')
    // The page may hear of the change before its file is written.
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('04:00')
  })

  it('sees what an editor did to the file, and undoes that on the page', async () => {
    await openEntry('Deploys')
    const before = readFileSync(fileOf('Deploys'), 'utf8')
    writeFileSync(fileOf('Deploys'), before.replace('The first text', 'An edited text'))
    await shows('An edited text of Deploys.')
    await entry()
      .getByRole('link', { name: /its changes/i })
      .click()
    await page.getByRole('main').getByRole('listitem').getByText(/hand/).first().waitFor()
    await page
      .getByRole('button', { name: /^Undo change/ })
      .first()
      .click()
    await expect.poll(() => readFileSync(fileOf('Deploys'), 'utf8')).toBe(before)
  })

  it('sees at once what another process writes', async () => {
    await openEntry('Posters')
    const { status } = await site.desk.run(['remember', 'Written elsewhere.', '--name', 'Posters'])
    expect(status).toBe(0)
    await shows('Written elsewhere.')
    await site.desk.run(['remember', 'Brand new.', '--name', 'From elsewhere'])
    await page.getByRole('list', { name: 'Entries' }).getByRole('link', { name: 'From elsewhere' }).waitFor()
  })

  it('loses neither text when the file changed meanwhile: both are shown, and one is chosen', async () => {
    await openEntry('Fairs')
    await edit('Mine, from the page.')
    writeFileSync(
      fileOf('Fairs'),
      readFileSync(fileOf('Fairs'), 'utf8').replace('The first text of Fairs.', 'Theirs, by hand.'),
    )
    // Said above the editor before anything is saved.
    await entry()
      .getByText(/meanwhile|changed/i)
      .first()
      .waitFor()
    expect(await entry().getByRole('textbox', { name: 'Text' }).inputValue()).toBe('Mine, from the page.')
    await save()
    await entry().getByText('Theirs, by hand.').first().waitFor()
    await entry().getByText('Mine, from the page.').first().waitFor()
    await picture(page, 'conflict')
    expect(readFileSync(fileOf('Fairs'), 'utf8')).toContain('Theirs, by hand.')
    await entry()
      .getByRole('button', { name: /keep mine/i })
      .click()
    await expect.poll(() => readFileSync(fileOf('Fairs'), 'utf8')).toContain('Mine, from the page.')
    // What was replaced is one undo away.
    await notices().getByRole('button', { name: /undo/i }).first().click()
    await expect.poll(() => readFileSync(fileOf('Fairs'), 'utf8')).toContain('Theirs, by hand.')
  })

  it('takes theirs where that is chosen', async () => {
    await openEntry('Flags')
    await edit('Mine.')
    writeFileSync(fileOf('Flags'), readFileSync(fileOf('Flags'), 'utf8').replace('The first text of Flags.', 'Theirs.'))
    await entry()
      .getByText(/meanwhile|changed/i)
      .first()
      .waitFor()
    await save()
    const takeTheirs = entry().getByRole('button', { name: /take theirs/i })
    await takeTheirs.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click()
    await shows('Mine.')
    await takeTheirs.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave without saving' }).click()
    await takeTheirs.waitFor({ state: 'detached' })
    await shows('Theirs.')
    expect(readFileSync(fileOf('Flags'), 'utf8')).toContain('Theirs.')
  })

  it('takes no letter that it would lose while a save is under way, and does not call that save another one', async () => {
    await openEntry('Lamps')
    await edit('Sent.')
    let answer = (): void => undefined
    const isAnswered = new Promise<void>((done) => {
      answer = done
    })
    await page.route('**/api/v1/entries/*', async (route) => {
      const response = await route.fetch()
      await isAnswered
      await route.fulfill({ response })
    })
    const text = entry().getByRole('textbox', { name: 'Text' })
    await text.focus()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('list', { name: 'Entries' }).getByText('Sent.').waitFor()
    await page.keyboard.type('Typed meanwhile.')
    expect(await text.inputValue()).toBe('Sent.')
    expect(await entry().getByText('while you were writing').count()).toBe(0)
    answer()
    await text.waitFor({ state: 'detached' })
    await shows('Sent.')
    await page.unrouteAll({ behavior: 'wait' })
  })

  it('says why mine could not be kept, and keeps it still', async () => {
    await openEntry('Doors')
    await edit('Mine.')
    writeFileSync(fileOf('Doors'), readFileSync(fileOf('Doors'), 'utf8').replace('The first text of Doors.', 'Theirs.'))
    await entry().getByRole('button', { name: 'Compare' }).click()
    await page.route('**/api/v1/entries/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort('connectionfailed') : route.continue(),
    )
    const keepMine = entry().getByRole('button', { name: 'Keep mine' })
    await keepMine.click()
    await entry().getByRole('alert').getByText('does not answer').waitFor()
    await page.unrouteAll()
    await keepMine.click()
    await expect.poll(() => readFileSync(fileOf('Doors'), 'utf8')).toContain('Mine.')
    await keepMine.waitFor({ state: 'detached' })
    forgive('ERR_CONNECTION_FAILED')
  })

  it('goes on with an entry that was gone and came back', async () => {
    await openEntry('Gates')
    await edit('Written while it was gone.')
    const forgotten = await site.desk.run(['forget', 'Gates', '--yes'])
    const change = /keepsake undo (\d+)/.exec(forgotten.stdout)?.[1] ?? ''
    const decide = entry().getByRole('button', { name: 'Decide' })
    await decide.click()
    await entry().getByRole('button', { name: 'Go on editing' }).click()
    const text = entry().getByRole('textbox', { name: 'Text' })
    expect(await text.inputValue()).toBe('Written while it was gone.')
    await decide.click()
    await text.waitFor({ state: 'detached' })
    expect((await site.desk.run(['undo', change])).status).toBe(0)
    await text.waitFor()
    expect(await text.inputValue()).toBe('Written while it was gone.')
    await save()
    await expect.poll(() => readFileSync(fileOf('Gates'), 'utf8')).toContain('Written while it was gone.')
    forgive('status of 404')
  })

  it('keeps the text through a failed request', async () => {
    await openEntry('Flags')
    await edit('Not to be lost.')
    await page.context().setOffline(true)
    await save()
    await page
      .getByText(/does not answer/)
      .first()
      .waitFor()
    expect(await entry().getByRole('textbox', { name: 'Text' }).inputValue()).toBe('Not to be lost.')
    await page.context().setOffline(false)
    await save()
    await shows('Not to be lost.')
    forgive('ERR_INTERNET_DISCONNECTED')
  })

  it('renames, gives an alias, forgets, and undoes', async () => {
    await openEntry('Keys')
    await entry().getByRole('button', { name: 'Rename' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('Spare keys')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await entry().getByRole('heading', { name: 'Spare keys' }).waitFor()
    await expect
      .poll(() => readFileSync(join(site.root, 'agents/main/entries/spare-keys.md'), 'utf8'))
      .toContain('Keys')
    await entry().getByRole('button', { name: 'Drop the alias Keys' }).click()
    await entry().locator('input:focus').waitFor()
    await entry().getByRole('button', { name: 'Forget' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click()
    await page
      .getByRole('list', { name: 'Entries' })
      .getByRole('link', { name: 'Spare keys' })
      .waitFor({ state: 'detached' })
    await page.getByRole('list', { name: 'Entries' }).locator('a:focus').waitFor()
    await notices().getByRole('button', { name: /undo/i }).last().click()
    await page.getByRole('list', { name: 'Entries' }).getByRole('link', { name: 'Spare keys' }).waitFor()
    // The page may read the entry once more between the server's change and its answer.
    forgive('status of 404')
  })

  it('shows a purge among the changes, and offers no undo for it', async () => {
    expect((await site.desk.run(['remember', 'A secret.', '--name', 'Purged'])).status).toBe(0)
    expect((await site.desk.run(['forget', 'Purged', '--purge', '--yes'])).status).toBe(0)
    await open('/changes')
    const purge = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Purged an entry.' }).first()
    await purge.waitFor()
    expect(await purge.getByRole('button').count()).toBe(0)
  })

  it('shows the memory as it was, and nothing can be written there', async () => {
    await open(`/browse?asOf=${encodeURIComponent(new Date().toISOString())}`)
    await page.getByRole('list', { name: 'Entries' }).getByRole('link', { name: 'Deploys' }).click()
    await shows('of Deploys.')
    expect(await entry().getByRole('button', { name: 'Edit' }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'New entry' }).count()).toBe(0)
  })

  it('does all of it by keys alone', async () => {
    await open('/browse?kind=note')
    await page.getByRole('list', { name: 'Entries' }).getByRole('link').first().waitFor()
    const tabTo = async (target: Locator): Promise<void> => {
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab')
        if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return
      }
      throw new Error('that can not be reached by Tab')
    }
    await page.keyboard.press('Tab')
    await page.getByRole('link', { name: 'Skip to the content' }).evaluate((element) => {
      if (element !== element.ownerDocument.activeElement) throw new Error('the first Tab is not the skip link')
    })
    await tabTo(page.getByRole('list', { name: 'Entries' }).getByRole('link').first())
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await entry().getByRole('heading', { level: 2 }).first().waitFor()
    await tabTo(entry().getByRole('button', { name: 'Edit' }))
    await page.keyboard.press('Enter')
    const text = entry().getByRole('textbox', { name: 'Text' })
    await text.waitFor()
    if (!(await text.evaluate((element) => element === element.ownerDocument.activeElement))) await tabTo(text)
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' Typed by keys.')
    await page.keyboard.press('Control+Enter')
    await shows('Typed by keys.')
    const undo = page.getByRole('button', { name: /^undo/i }).first()
    // Under the mouse, a notice stays.
    await undo.hover()
    await tabTo(undo)
    await page.keyboard.press('Enter')
    await entry().getByText('Typed by keys.').waitFor({ state: 'detached' })
  })

  it('works at the width of a phone', async () => {
    const small = await shown({ ...site, link: await site.nextLink() }, { viewport: PHONE })
    await small.page.goto(`${site.url}/browse?kind=note`)
    await small.page.getByRole('list', { name: 'Entries' }).getByRole('link', { name: 'Phones' }).click()
    const its = small.page.getByRole('region', { name: 'Entry', exact: true })
    await its.getByRole('button', { name: 'Edit' }).click()
    await its.getByRole('textbox', { name: 'Text' }).fill('Written on a phone.')
    await its.getByRole('button', { name: 'Save' }).click()
    await its.getByText('Written on a phone.').first().waitFor()
    await picture(small.page, 'edited-on-a-phone')
    expect(readFileSync(fileOf('Phones'), 'utf8')).toContain('Written on a phone.')
    expect(small.complaints).toEqual([])
  })

  it('heard no complaint through all of it', () => {
    // A conflict is an answer that a browser calls an error.
    expect(complaints.filter((text) => !/status of 409/.test(text))).toEqual([])
  })
})
