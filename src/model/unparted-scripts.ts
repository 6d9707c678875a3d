/** The scripts that put no blanks between words, and Hangul, where a syllable is about half a word: to stand in a class. */
export const UNPARTED_SCRIPTS: string =
  '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}'
