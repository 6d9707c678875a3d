/**
 * Characters that a reader takes for others: what looks like a letter, a bracket, a slash. Only what decomposition (NFKD) does
 * not bring together already is listed. One too many here costs a dot in a strange text, one too few lets a tag through, so in
 * doubt a character is listed, also under more than one letter.
 */

const LETTERS: Readonly<Record<string, string>> = {
  a: 'аɑαᴀꭺᎪᗅꓮⲁⱥ4',
  b: 'вьβʙᏴꓐƅɓ8',
  c: 'сςᴄⲥᏟꓚᑕ¢',
  d: 'ԁժᴅᎠꓓᗞɗđ',
  e: 'еєҽεɛᴇᎬꓰⲉ℮ǝ3',
  f: 'ƒꞙϝꜰꓝքғ',
  g: 'ɡցɢᏀꓖԍɠ9',
  h: 'һհнʜᏂᎻꓧⲏɦΗ',
  i: 'іıιɩɪӏᎥꓲⲓIl1',
  j: 'јϳꓙᴊ',
  k: 'кκᴋᏦꓗⲕƙ',
  l: 'ӏʟІᏞꓡןⲓłI1ⵏ',
  m: 'мμᴍᎷꓟⲙϻɱ',
  n: 'пոηɴꓠⲛɲΝ',
  o: 'оοσօᴏꓳⲟ0øƠ०๐ဝ',
  p: 'рρᴘᏢꓑⲣþ',
  q: 'ԛգզ',
  r: 'гʀᴦᎡᏒꓣꭇɼяᖇ',
  s: 'ѕꜱʂᏚꓢƽ5',
  t: 'тτᴛᎢꓔⲧŧ',
  u: 'υսʋᴜμꓴʊцՍ',
  v: 'ѵνᴠᏙꓦʋ',
  w: 'ԝѡωᴡꓪɯшա',
  x: 'хχꓫⲭ',
  y: 'уүγʏყꓬᎩⲩỿΥ',
  z: 'ᴢꓜᏃζʐ2',
}

const SIGNS: Readonly<Record<string, string>> = {
  '<': '‹〈⟨«《⟪❮❰❬⧼⦑ᐸ˂ᚲ≪⋘≺⊰⋖⪡⪯𝈶',
  '>': '›〉⟩»》⟫❯❱❭⧽⦒ᐳ˃≫⋙≻⊱⋗⪢⪰',
  '[': '【〔〖〘〚⁅⟦❲⦋⦍⦏⟬',
  '|': '∣ǀ❘❙│┃¦⎮⏐╎╏‖∥',
  '/': '⁄∕⧸╱⟋〳丿ノⳆ᜵',
  '\\': '∖⧵⧹╲⟍﹨',
  ':': '∶ː˸꞉׃։܃܄᠃⁚⦂∷',
  '&': '⅋',
  _: '▁ˍ',
  '-': '‐‑‒–—−',
  ' ': '\u2800',
}

const letterBits = new Map<number, number>()
const signs = new Map<number, number>()

for (const [letter, alike] of Object.entries(LETTERS)) {
  for (const character of letter + alike) {
    const code = character.codePointAt(0) ?? 0
    letterBits.set(code, (letterBits.get(code) ?? 0) | bitOf(letter))
  }
}
for (const [sign, alike] of Object.entries(SIGNS)) {
  for (const character of alike) signs.set(character.codePointAt(0) ?? 0, sign.charCodeAt(0))
}

/** Letters in circles, squares and brackets, a to z from each of these on; those among them that decompose do so to `(a)`. */
const ENCLOSED = [0x249c, 0x1f110, 0x1f130, 0x1f150, 0x1f170, 0x1f1e6]
const ALPHABET = 26

/** The bare letter that this one is; `undefined` for all that is not enclosed. */
export function enclosedLetter(code: number): number | undefined {
  const first = ENCLOSED.find((from) => code >= from && code < from + ALPHABET)
  return first === undefined ? undefined : code - first + 0x61
}

/** One bit for each of a to z. */
export function bitOf(letter: string): number {
  return 1 << (letter.charCodeAt(0) - 97)
}

const known = new Map<number, number>()

/** The bits of all letters that this character may be read as, in either case; 0 for what is no letter of ours. */
export function lettersOf(code: number): number {
  const before = known.get(code)
  if (before !== undefined) return before
  const character = String.fromCodePoint(code)
  const cases = [character, character.toLowerCase(), character.toUpperCase()]
  const bits = cases.reduce((sum, one) => sum | (letterBits.get(one.codePointAt(0) ?? 0) ?? 0), 0)
  // Only what has a letter is kept: so few characters do that this can't grow.
  if (bits !== 0 || code < 0x80) known.set(code, bits)
  return bits
}

/** The sign that this one looks like, or itself. */
export function signOf(code: number): number {
  return signs.get(code) ?? code
}
