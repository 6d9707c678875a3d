/** A memory in RAM with something of everything that can be moved. */
import type { MemoryImage, Store } from '../../src/ports/store.ts'
import { type MemoryStore, memoryStore } from '../../src/stores/memory.ts'
import { type CollectedImage, collected, imageFrom } from '../../src/testing/images.ts'
import { apply, applyOne, context, experience, note, topic } from '../../src/testing/requests.ts'

export async function sampleStore(): Promise<MemoryStore> {
  const store = memoryStore({
    settings: { timezone: 'UTC' },
    documents: { 'directives/memory.md': 'Keep what matters.\n' },
  })
  await fillSample(store)
  return store
}

export async function fillSample(store: Store): Promise<void> {
  await apply(store, [note('Deploys', { aliases: ['ship'], metadata: { n: 1 } }), topic('Staging'), experience('one')])
  const brief = await applyOne(store, note('brief', { description: 'd' }))
  await apply(store, [context('city', 'Berlin'), { op: 'rename', id: brief.id, name: 'Brief' }])
  await store.sessions.append('main', 'chat', [{ n: 1 }, { n: 2 }])
  await store.sessions.append('ada', 'chat', [{ n: 3 }])
}

export async function sampleImage(): Promise<CollectedImage> {
  return collected(await (await sampleStore()).image())
}

export function altered(image: CollectedImage, change: Partial<CollectedImage>): MemoryImage {
  return imageFrom({ ...image, ...change })
}
