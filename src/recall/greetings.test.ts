import { expect, it } from 'vitest'
import { fold } from '../search/fold.ts'
import { saidOutOfCourtesy } from './greetings.ts'

it.each([
  'Hello',
  'good morning',
  'Tschüss',
  'Buenos días',
  'olá',
  'Здравствуйте',
  'добрый день',
  'cześć',
  'Günaydın',
  'مرحبا',
  'नमस्ते',
  'dziękuję',
  'proszę',
  'teşekkürler',
  'пожалуйста',
])('knows a phrase however it is spelled: %s', (phrase) => {
  const words = phrase.split(' ').map(fold)
  expect(saidOutOfCourtesy(words, 0, true)).toBe(words.length)
})
