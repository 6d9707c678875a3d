/**
 * Pieces of 200 estimated tokens against the model's own tokenizer: none may be longer than what the model reads, in whatever language or
 * data, for what is cut off is found by nobody.
 */
import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { findPackages } from '../../src/embed/minilm/model-files.ts'
import { openTokenizer, type Tokenize } from '../../src/embed/minilm/tokenizer.ts'
import { splitText } from '../../src/search/split-text.ts'
import { ROOT } from './packages.ts'

const PIECE_TOKENS = 200
/** Two below the limit, at which the tokenizer cuts. */
const MOST_TOKENS = 254

const ENGLISH =
  'The gardener told us that the old pear tree needs less water than we thought. She will come back on Thursday with a friend who knows more about roots, and they want to look at the wall which has been leaning since the storm. '

const SAMPLES: Readonly<Record<string, string>> = {
  English: ENGLISH,
  German:
    'Die Gärtnerin erklärte, dass der alte Birnbaum weniger Wasser braucht als angenommen. Am Donnerstag kommt sie mit einem Wurzelsachverständigen zurück, um die schiefe Gartenmauer zu begutachten. ',
  Dutch:
    'De tuinman vertelde dat de oude perenboom minder water nodig heeft dan wij dachten. Donderdag komt hij terug met een vriend om de scheefgezakte muur of de wortels te bekijken. ',
  Swedish:
    'Trädgårdsmästaren berättade att det gamla päronträdet behöver mindre vatten än vi trodde. På torsdag kommer hon tillbaka för att undersöka den lutande stenmuren. ',
  Danish:
    'Gartneren fortalte, at det gamle pæretræ har brug for mindre vand, end vi troede. På torsdag kommer hun igen for at undersøge den skæve mur ved køkkenhaven. ',
  Icelandic:
    'Garðyrkjumaðurinn sagði að gamla perutréð þyrfti minna vatn en við héldum. Á fimmtudaginn kemur hún aftur til að skoða vegginn sem hefur hallast síðan í óveðrinu. ',
  French:
    "La jardinière nous a expliqué que le vieux poirier demande moins d'eau que prévu. Elle reviendra jeudi avec un ami pour examiner le mur qui penche depuis la tempête. ",
  Spanish:
    'La jardinera nos explicó que el viejo peral necesita menos agua de lo que pensábamos. Volverá el jueves con un amigo para examinar el muro que se inclina desde la tormenta. ',
  Portuguese:
    'A jardineira explicou que a velha pereira precisa de menos água do que pensávamos. Voltará na quinta-feira com um amigo para examinar o muro que está inclinado desde a tempestade. ',
  Italian:
    "La giardiniera ci ha spiegato che il vecchio pero ha bisogno di meno acqua di quanto pensassimo. Tornerà giovedì con un'amica per esaminare il muro che pende dopo il temporale. ",
  Romanian:
    'Grădinarul ne-a spus că părul cel bătrân are nevoie de mai puțină apă decât credeam. Joi se întoarce împreună cu un prieten să cerceteze zidul înclinat după furtună. ',
  Polish:
    'Ogrodniczka powiedziała, że stara grusza potrzebuje mniej wody, niż myśleliśmy. W czwartek wróci z przyjacielem, żeby obejrzeć mur, który przechylił się podczas wichury. ',
  Czech:
    'Zahradnice říkala, že stará hrušeň potřebuje méně vody, než jsme si mysleli. Ve čtvrtek se vrátí s přítelem a prohlédnou si zeď, která se po vichřici naklání. ',
  Croatian:
    'Vrtlarica je rekla da stara kruška treba manje vode nego što smo mislili. U četvrtak se vraća s prijateljem kako bi pregledali zid koji se nagnuo nakon oluje. ',
  Hungarian:
    'A kertész azt mondta, hogy az öreg körtefának kevesebb vízre van szüksége, mint gondoltuk. Csütörtökön visszajön egy barátjával, hogy megnézzék a viharban megdőlt falat. ',
  Finnish:
    'Puutarhuri kertoi, että vanha päärynäpuu tarvitsee vähemmän vettä kuin luulimme. Torstaina hän palaa ystävänsä kanssa tutkimaan myrskyssä kallistunutta kiviaitaa. ',
  Estonian:
    'Aednik rääkis, et vana pirnipuu vajab vähem vett, kui arvasime. Neljapäeval tuleb ta sõbraga tagasi, et vaadata üle tormis viltu vajunud müür. ',
  Lithuanian:
    'Sodininkė pasakė, kad senai kriaušei reikia mažiau vandens, nei manėme. Ketvirtadienį ji grįš su draugu apžiūrėti po audros pasvirusios sienos. ',
  Turkish:
    'Bahçıvan, yaşlı armut ağacının sandığımızdan daha az suya ihtiyacı olduğunu söyledi. Perşembe günü bir arkadaşıyla gelip fırtınadan beri eğilen duvara bakacaklarmış. ',
  Vietnamese:
    'Người làm vườn nói rằng cây lê già cần ít nước hơn chúng tôi nghĩ. Thứ năm cô ấy sẽ trở lại cùng một người bạn để xem bức tường bị nghiêng sau cơn bão. ',
  Indonesian:
    'Tukang kebun mengatakan bahwa pohon pir tua membutuhkan lebih sedikit air daripada yang kami kira. Hari Kamis dia kembali bersama temannya untuk memeriksa tembok yang miring sejak badai. ',
  Swahili:
    'Mtunza bustani alisema kwamba mti wa zamani unahitaji maji machache kuliko tulivyodhani. Atarudi siku ya Alhamisi pamoja na rafiki yake kuangalia ukuta ulioinama. ',
  Russian:
    'Садовница сказала, что старой груше нужно меньше воды, чем мы думали. В четверг она вернётся с подругой, чтобы осмотреть стену, покосившуюся после бури. ',
  Greek:
    'Η κηπουρός είπε ότι η γέρικη αχλαδιά χρειάζεται λιγότερο νερό. Την Πέμπτη θα ξανάρθει με μια φίλη της για να δουν τον τοίχο. ',
  Arabic: 'قالت البستانية إن شجرة الإجاص القديمة تحتاج إلى ماء أقل مما كنا نظن، وستعود يوم الخميس مع صديقتها. ',
  Hindi: 'माली ने कहा कि पुराने पेड़ को हमारी सोच से कम पानी चाहिए। वह गुरुवार को अपनी सहेली के साथ दीवार देखने आएगी। ',
  Bengali: 'মালী বললেন যে পুরোনো গাছটির আমাদের ধারণার চেয়ে কম জল লাগে। বৃহস্পতিবার তিনি বন্ধুর সঙ্গে দেয়াল দেখতে আসবেন। ',
  Thai: 'คนสวนบอกว่าต้นแพร์เก่าต้องการน้ำน้อยกว่าที่เราคิด วันพฤหัสบดีเธอจะกลับมาดูกำแพงกับเพื่อน ',
  Chinese: '园丁说那棵老梨树需要的水比我们想的少。星期四她会和一位朋友再来，看看暴风雨以后倾斜的墙。',
  Japanese:
    '庭師によると、古い梨の木は思ったより水が要らないそうです。木曜日に友人とまた来て、嵐で傾いた壁を見てくれます。',
  Korean:
    '정원사는 오래된 배나무에 생각보다 물이 덜 필요하다고 말했다. 목요일에 친구와 다시 와서 기울어진 담을 본다고 한다. ',
  code: "export function nearestNeighbours(queryVector: Float32Array, maxCount = 10): readonly Hit[] {\n  const heap = new BinaryHeap<Hit>((a, b) => a.score - b.score)\n  for (let row = 0; row < this.#rowCount; row++) heap.pushPop({ row, score: dotProduct(this.#rows, row) })\n  if (heap.size === 0) throw new RangeError('no rows: call addAll() first')\n  return heap.toSortedArray()\n}\n",
  JSON: '{"node_modules/left-padder": {"version": "4.17.21", "resolved": "left-padder-4.17.21.tgz", "integrity": "sha512-q8Zx0YwLk3JvTt9/RrNbQ==", "engines": {"node": ">=18"}, "optional": true}},\n',
  table:
    '| datum | Größe | Wert |\n|---|--:|---|\n| 2024-03-17 | 12,5 kg | übergroß |\n| 2024-03-18 | 7,25 kg | zurückgestellt |\n',
  URLs: 'https://docs.example.org/v2/guides/getting-started.html?utm_source=nl&id=83b1f0#installation-on-windows\n',
  emoji: '🎉🚀 👩🏽‍💻 ok 👍 ❤️‍🔥 ',
  'base64 in lines': bytes(6_000).toString('base64').replace(/.{76}/g, '$&\n'),
  'base64 in one line': bytes(6_000).toString('base64'),
  tokens: bytes(6_000).toString('base64url').replace(/.{43}/g, '$& '),
  hashes: bytes(6_000).toString('hex').replace(/.{40}/g, '$& '),
}

/** As good as random, and always the same. */
function bytes(count: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(count / 32) }, (_, n) => createHash('sha256').update(`${n}`).digest())
  return Buffer.concat(blocks).subarray(0, count)
}

let tokenize: Tokenize

beforeAll(() => {
  tokenize = openTokenizer(findPackages([ROOT]))
})

function countsOf(text: string): number[] {
  return splitText(text, PIECE_TOKENS).map(({ start, end }) => tokenize(text.slice(start, end)).length)
}

it.each(Object.keys(SAMPLES))('the model reads each piece whole: %s', (name) => {
  const sample = SAMPLES[name] ?? ''
  const text = sample.repeat(Math.ceil(6_000 / sample.length))
  expect(Math.max(...countsOf(text))).toBeLessThanOrEqual(MOST_TOKENS)
  // Where English goes before, the estimate has to notice.
  expect(Math.max(...countsOf(ENGLISH + text))).toBeLessThanOrEqual(MOST_TOKENS)
})

it('pieces of English are not small', () => {
  const counts = countsOf(ENGLISH.repeat(60))
  expect(counts.reduce((sum, count) => sum + count, 0) / counts.length).toBeGreaterThan(150)
})
