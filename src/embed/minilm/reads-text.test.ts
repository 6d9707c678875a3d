import { expect, it } from 'vitest'
import { readsText } from './reads-text.ts'

it.each([
  ['English', 'What is the capital of France?', true],
  ['another language in Latin letters', 'Où est la tour Eiffel, à Łódź?', true],
  ['digits', '2026-11-16', true],
  ['English that quotes something', 'what does 绿茶 mean in English?', true],
  ['a long key beside a word', `the key ${'a'.repeat(101)}`, true],
  ['code', 'const reversed = (list) => [...list].reverse()', true],
  ['Chinese', '法国的首都是哪里？', false],
  ['Russian', 'Какая столица Франции?', false],
  ['Japanese', 'フランスの首都はどこですか？', false],
  ['Korean', '프랑스의 수도는 어디입니까?', false],
  ['Arabic', 'ما هي عاصمة فرنسا؟', false],
  ['Chinese that names a thing', '我们怎么在 AWS 上面部署这个服务器', false],
  ['digits of another script', '٢٠٢٦ १२३ ２０', false],
  ['marks and pictures', '🍵 … !?', false],
  ['nothing', '', false],
  ['nothing but what is too long for a word', `${'a'.repeat(101)} ${'b'.repeat(300)}`, false],
])('%s: %s', (_, text, isRead) => {
  expect(readsText(text)).toBe(isRead)
})
