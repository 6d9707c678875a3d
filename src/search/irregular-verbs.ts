/**
 * English verbs whose past has no ending that a stemmer could take off: someone who asks where they went means "go" too.
 * Left out: forms that are mostly another word ("ground", "wound", "bore", "bound").
 */
const VERBS = `
  arise arose arisen, awake awoke awoken, bear borne, beat beaten, become became, begin began begun, bend bent,
  bite bit bitten, bleed bled, blow blew blown, break broke broken, breed bred, bring brought, build built, burn
  burnt, buy bought, catch caught, choose chose chosen, cling clung, come came, creep crept, deal dealt, dig
  dug, draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen,
  feed fed, feel felt, fight fought, find found, flee fled, fly flew flown, forbid forbade forbidden, forget
  forgot forgotten, forgive forgave forgiven, freeze froze frozen, get got gotten, give gave given, go went
  gone, grow grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept, kneel knelt, know knew
  known, lay laid, lead led, lean leant, learn learnt, leave left, lend lent, light lit, lose lost, make made,
  mean meant, meet met, mistake mistook mistaken, overcome overcame, pay paid, prove proven, ride rode ridden,
  ring rang rung, rise rose risen, run ran, say said, see saw seen, seek sought, sell sold, send sent, sew sewn,
  shake shook shaken, shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk,
  sit sat, sleep slept, slide slid, smell smelt, speak spoke spoken, spend spent, spin spun, spring sprang
  sprung, stand stood, steal stole stolen, stick stuck, sting stung, strike struck stricken, strive strove,
  swear swore sworn, sweep swept, swell swollen, swim swam swum, swing swung, take took taken, teach taught,
  tear tore torn, tell told, think thought, throw threw thrown, understand understood, undertake undertook
  undertaken, wake woke woken, wear wore worn, weave wove woven, weep wept, win won, withdraw withdrew
  withdrawn, write wrote written, rewrite rewrote rewritten, rebuild rebuilt, foresee foresaw foreseen, undergo
  underwent undergone, undo undid undone`

/** From a form to its verb. */
export const IRREGULAR_VERBS: ReadonlyMap<string, string> = formsOf(VERBS)

/** In one pass and without a pattern, since every command waits for it. */
function formsOf(table: string): Map<string, string> {
  const verbOf = new Map<string, string>()
  let verb = ''
  for (const cell of table.trim().replaceAll('\n ', '').split(' ')) {
    const word = cell.endsWith(',') ? cell.slice(0, -1) : cell
    if (verb === '') verb = word
    else verbOf.set(word, verb)
    if (word !== cell) verb = ''
  }
  return verbOf
}
