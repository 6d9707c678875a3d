import { describe, expect, it } from 'vitest'
import { loadAnalyzer } from './analyzer.ts'
import { fold } from './fold.ts'
import { LANGUAGES, loadLanguage } from './languages.ts'
import { ENGLISH_STOP_WORDS } from './stop-words.ts'
import { STOP_WORDS } from './stop-words-by-language.ts'

describe('languages', () => {
  it.each(['klingon', '', 'English', '__proto__', 'EN', 'e', 'de-AT'])('refuses %j', async (language) => {
    await expect(loadAnalyzer(language)).rejects.toMatchObject({
      code: 'INVALID',
      message: `language: ${JSON.stringify(language)} is not a code`,
      hint: expect.stringContaining('en, de or fr'),
    })
  })

  it('takes the words of a language without a stemmer as they are', async () => {
    const { stem, stopWords } = await loadLanguage('ja')
    expect(stem('cats')).toBe('cats')
    expect(stopWords.size).toBe(0)
    expect((await loadAnalyzer('nb')).version).toMatch(/-nb$/)
  })

  it.each([
    ['ar', 'الكتاب', 'كتاب'],
    ['da', 'biler', 'bil'],
    ['nl', 'fietsen', 'fiets'],
    ['fi', 'taloissa', 'talo'],
    ['fr', 'chevaux', 'cheval'],
    ['de', 'häuser', 'haus'],
    ['el', 'ανθρώπους', 'ανθρωπ'],
    ['hi', 'किताबें', 'किताब'],
    ['hu', 'házakban', 'ház'],
    ['id', 'membaca', 'baca'],
    ['it', 'libri', 'libr'],
    ['no', 'biler', 'bil'],
    ['pt', 'informações', 'inform'],
    ['ru', 'книгами', 'книг'],
    ['sr', 'knjigama', 'knjig'],
    ['es', 'canciones', 'cancion'],
    ['sv', 'bilar', 'bil'],
    ['tr', 'kitaplar', 'kitap'],
    ['uk', 'книгами', 'книг'],
  ])('stems %s: %s is %s', async (language, word, stem) => {
    const { stem: stemmer } = await loadLanguage(language)
    expect(stemmer(word)).toBe(stem)
  })

  it('has stop words of languages it knows, all folded', () => {
    expect(Object.keys(STOP_WORDS).filter((language) => !LANGUAGES.includes(language))).toEqual([])
    const words = [...ENGLISH_STOP_WORDS, ...Object.values(STOP_WORDS).flatMap((text) => text.split(/\s+/))]
    expect(words.filter((word) => word !== fold(word) || word === '')).toEqual([])
  })
})
