/**
 * The names that mean something to a model where they stand in brackets or begin a turn: ours, those of chat formats, and those
 * of agent programs.
 */
import { CLIENT_TAGS, TAGS_OF_WHAT_WAS_TYPED } from '../model/client-tags.ts'
import { bitOf } from './look-alikes.ts'

/** Words by their length, each as the bits of its letters. Worked out when they are first asked for: most texts have no brackets. */
export type Words = () => ReadonlyMap<number, readonly (readonly number[])[]>

/** In tags, in any case. Underscores, dashes and dots do not count: `tool_call`, `tool-call`. Not `s`, which is HTML. */
export const TAG_NAMES: Words = wordsByLength([
  'memory recall identity recap untrusted',
  'system systemprompt systemmessage systemreminder systeminstruction systeminstructions sys',
  'user usermessage assistant assistantmessage human developer',
  'tool tools toolcall toolcalls tooluse toolcode toolresult toolresults toolresponse tooloutput tooloutputs',
  'function functions functioncall functioncalls functionresult functionresults functionresponse invoke parameter',
  'think thinking startofturn endofturn inst bos eos',
  ...[...CLIENT_TAGS, ...TAGS_OF_WHAT_WAS_TYPED].map((tag) => tag.replace(/[-_ ]/g, '')),
])

/** Between bars, where blanks stand in them; without blanks anything between bars is a token: `<|im_start|>`. */
export const TOKEN_NAMES: Words = wordsByLength([
  'system user assistant human developer tool function imstart imend imsep endoftext startoftext beginoftext endofprompt',
  'toolcallsbegin toolcallsend toolcallbegin toolcallend toolsep fimprefix fimmiddle fimsuffix fimbegin fimhole fimend',
  'tooloutputsbegin tooloutputsend tooloutputbegin tooloutputend eot eom',
  'eotid eomid startheaderid endheaderid pythontag beginofsentence endofsentence start end message channel return call',
])

export const SQUARE_NAMES: Words = wordsByLength(['inst systemprompt availabletools toolcalls toolresults toolcontent'])

/** Before a colon, after a blank line. */
export const ROLES: Words = wordsByLength(['human assistant system user'])

function wordsByLength(lists: readonly string[]): Words {
  let words: Map<number, number[][]> | undefined
  return () => {
    if (words) return words
    words = new Map()
    for (const word of lists.join(' ').split(' ')) {
      const bits = [...word].map(bitOf)
      words.set(bits.length, [...(words.get(bits.length) ?? []), bits])
    }
    return words
  }
}

/** Whether letters, each as the bits of all that it may be read as, are one of the words. */
export function isOneOf(words: Words, letters: readonly number[]): boolean {
  const ofLength = words().get(letters.length)
  return ofLength?.some((word) => word.every((bit, index) => ((letters[index] ?? 0) & bit) !== 0)) ?? false
}
