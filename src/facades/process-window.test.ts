import { expect, it } from 'vitest'
import { type ContextWindow, processWindow } from './process-window.ts'

function windowOf(size: number): { readonly window: ContextWindow; readonly out: string[] } {
  const out: string[] = []
  const window = processWindow(
    size,
    () => '2026-03-14T09:26:53.589Z',
    async ({ content }) => out.push(content),
  )
  return { window, out }
}

async function contents(window: ContextWindow): Promise<string[]> {
  return (await window.read()).map(({ content }) => content)
}

it('holds the last user messages with their answers, and passes on what no longer fits', async () => {
  const { window, out } = windowOf(2)
  for (const n of [1, 2, 3]) {
    await window.add('user', `q${n}`)
    await window.add('assistant', `a${n}`)
  }
  expect(await contents(window)).toEqual(['q2', 'a2', 'q3', 'a3'])
  expect(out).toEqual(['q1', 'a1'])
})

it('never begins with an answer, and is empty with size 0', async () => {
  const { window } = windowOf(2)
  await window.add('assistant', 'welcome')
  expect(await contents(window)).toEqual([])
  await window.add('user', 'q1')
  expect(await contents(window)).toEqual(['q1'])
  const none = windowOf(0)
  await none.window.add('user', 'q1')
  await none.window.add('assistant', 'a1')
  expect([await contents(none.window), none.out]).toEqual([[], ['q1', 'a1']])
})

it('is empty after clear', async () => {
  const { window, out } = windowOf(2)
  await window.add('user', 'q1')
  await window.clear()
  expect([await contents(window), out]).toEqual([[], []])
})
