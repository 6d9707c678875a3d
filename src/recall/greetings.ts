/**
 * What people say besides what they are after: greetings at the beginning of a sentence, and words of courtesy anywhere. A
 * search is better off without them. Of the languages that most people write in; all at once, because people greet in
 * languages that they do not go on in.
 */

/**
 * Only at the beginning: elsewhere a "hello" is what somebody talks about. Phrases are parted by `|`, and folded already: that
 * would take longer than all the rest of a query.
 */
const GREETINGS = `
  hi | hello | hey | hiya | heya | howdy | yo | greetings | dear | bye | goodbye | cheers | good day
  good morning | good afternoon | good evening | good night | how are you doing | how is it going | how it going
  nice to meet you | hope you are well | hope you are doing well
  hallo | moin | servus | guten morgen | guten tag | guten abend | gute nacht | tschuss
  bonjour | bonsoir | salut | coucou | hola | buenos dias | buenas tardes | buenas noches
  ola | oi | bom dia | boa tarde | boa noite | ciao | salve | buongiorno | buonasera
  hoi | goedemorgen | goedemiddag | goedenavond | hej | hei | god morgon | god morgen | god dag
  привет | здравствуи | здравствуите | доброе утро | добрыи день | добрыи вечер
  czesc | dzien dobry | merhaba | selam | gunaydin | مرحبا | السلام عليكم | שלום | नमस्ते | halo | selamat pagi`

const COURTESY = `
  please | pls | plz | thanks | thank you | thank | thx | ty | ok | okay | yeah | yep | yup | nope | oh | ah | um | uh | hmm
  lol | haha | danke | bitte | merci | s il vous plait | s il te plait | sil vous plait | sil te plait | gracias | por favor
  obrigado | obrigada | grazie | per favore | bedankt | dank je | alsjeblieft | tack | tak | takk
  спасибо | пожалуиста | dziekuje | prosze | tesekkurler | lutfen | شكرا | תודה | धन्यवाद | terima kasih`

/** Of scripts without blanks between words, the longer ones first. */
const UNPARTED =
  `おはようございます ありがとうございます ありがとう お願いします こんにちは こんばんは おはよう よろしく
  안녕하세요 감사합니다 고마워요 안녕 早上好 下午好 晚上好 早安 晚安 你好 您好 大家好 谢谢 謝謝 多谢 请问 請問`
    .trim()
    .split(/\s+/)

/** Phrases by their first word, which nearly no word is. */
type Phrases = ReadonlyMap<string, readonly (readonly string[])[]>

let greetings: Phrases | undefined
let courtesy: Phrases | undefined

/** How many of the words from `at` on are a greeting or a courtesy; they are folded. */
export function saidOutOfCourtesy(words: readonly string[], at: number, beginsSentence: boolean): number {
  greetings ??= phrasesOf(GREETINGS)
  courtesy ??= phrasesOf(COURTESY)
  return Math.max(phraseAt(courtesy, words, at), beginsSentence ? phraseAt(greetings, words, at) : 0)
}

/** The length of the longest phrase that stands there. */
function phraseAt(phrases: Phrases, words: readonly string[], at: number): number {
  const candidates = phrases.get(words[at] ?? '') ?? []
  const standing = candidates.filter((phrase) => phrase.every((word, n) => words[at + n] === word))
  return Math.max(0, ...standing.map((phrase) => phrase.length))
}

/** How long the greeting is that a sentence without blanks begins with, in UTF-16 units. */
export function greetingLength(sentence: string, from: number): number {
  return UNPARTED.find((greeting) => sentence.startsWith(greeting, from))?.length ?? 0
}

function phrasesOf(table: string): Phrases {
  const phrases = new Map<string, string[][]>()
  for (const phrase of table.split(/[|\n]/)) {
    const words = phrase.trim().split(/\s+/)
    const [first = ''] = words
    if (first !== '') phrases.set(first, [...(phrases.get(first) ?? []), words])
  }
  return phrases
}
