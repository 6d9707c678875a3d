/** Memories in scripts that the built-in model does not read, with the real model: what has nothing to do with a message is not given. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MiniLm, openMiniLm } from '../../src/embed/minilm/open-minilm.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { memoryStore } from '../../src/stores/memory.ts'

const UNREAD: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'Chinese',
    ['用户喜欢喝绿茶', '服务器每周五中午部署', '安娜对花生过敏', '猫坐在垫子上'],
    ['法国的首都是哪里？', '请写一个反转列表的函数', '今天天气怎么样？'],
  ],
  [
    'Russian',
    ['Пользователь любит зелёный чай', 'У Анны аллергия на арахис', 'Кошка сидит на коврике'],
    ['Какая столица Франции?', 'Напиши функцию, которая переворачивает список'],
  ],
  [
    'Japanese',
    ['ユーザーは緑茶が好きです', '請求書は三十日以内に支払われます'],
    ['リストを逆順にする関数を書いてください', 'フランスの首都はどこですか？'],
  ],
  [
    'Korean',
    ['사용자는 녹차를 좋아합니다', '고양이가 매트 위에 앉아 있습니다'],
    ['프랑스의 수도는 어디입니까?', '에펠탑의 높이는?'],
  ],
  ['Arabic', ['المستخدم يحب الشاي الأخضر', 'القطة تجلس على السجادة'], ['ما هي عاصمة فرنسا؟', 'اكتب دالة تعكس قائمة']],
]

let model: MiniLm
beforeAll(async () => {
  model = await openMiniLm({ inThread: true })
})
afterAll(() => model.close())

async function memoryOf(texts: readonly string[]): Promise<readonly [Memory, Memory]> {
  const store = memoryStore()
  const memory = await openMemory({ store, embed: model })
  for (const text of texts) await memory.remember(text)
  return [memory, await openMemory({ store, embed: 'none' })]
}

describe.each(UNREAD)('%s', (_, notes, messages) => {
  it('brings no more than the words do, and says why', async () => {
    const [memory, byWords] = await memoryOf(notes)
    for (const message of messages) {
      expect((await memory.context({ message })).recall).toBe((await byWords.context({ message })).recall)
      const { searched, hits } = await memory.search(message, { mode: 'hybrid' })
      expect(searched.mode).toBe('lexical')
      expect(searched.wordsOnly).toContain('all-MiniLM-L6-v2 reads mainly English')
      expect(hits.map(({ entry }) => entry.id)).toEqual(
        (await byWords.search(message)).hits.map(({ entry }) => entry.id),
      )
    }
  })

  it('is compared all the same where meaning alone was asked for', async () => {
    const [memory] = await memoryOf(notes)
    await memory.embed()
    const { searched, hits } = await memory.search(notes[0] ?? '', { mode: 'semantic' })
    expect([searched.mode, hits[0]?.entry.content]).toEqual(['semantic', notes[0]])
    expect(hits[0]?.score).toBeCloseTo(0.999, 2)
  })
})

it('pictures have no vector, and none is looked for by them', async () => {
  const [memory] = await memoryOf(['🍵', '🎉🎉', 'Green tea'])
  expect(await memory.embed()).toMatchObject({ entries: 1, pending: 0 })
  for (const options of [{}, { mode: 'semantic' } as const]) {
    const { searched, hits } = await memory.search('🚀', options)
    expect([hits, searched.mode]).toEqual([[], 'lexical'])
    expect(searched.wordsOnly).toContain('no letter or digit')
  }
})

it('English finds by meaning beside them', async () => {
  const [memory] = await memoryOf([...UNREAD.flatMap(([, notes]) => notes), 'User prefers to be called Alex'])
  await memory.embed()
  const { hits } = await memory.search('what name should I use?')
  expect(hits.map(({ entry }) => entry.content)).toEqual(['User prefers to be called Alex'])
})
