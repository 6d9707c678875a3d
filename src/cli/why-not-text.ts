/** The answer to `--why-not`: a sentence, the entry that was expected, and what its score is made of. */
import type { WhyNot } from '../recall/found.ts'
import type { TextPlace } from './entry-text.ts'
import { explainText } from './explain-text.ts'
import { headerText, linesOf } from './hits-text.ts'

/** `instead`: what the entry is called that stands for it. */
export function whyNotText(whyNot: WhyNot, instead: string | undefined, place: TextPlace): string {
  const { entry, sentence, rank, score, why } = whyNot
  const { screen } = place
  return [
    linesOf(sentence, screen),
    ...(entry === undefined ? [] : ['', headerText(entry, score, place)]),
    ...(rank === undefined ? [] : [`   place ${rank} of those that match`]),
    ...(instead === undefined ? [] : [`   shown in its place: ${screen.line(instead)}`]),
    ...(why === undefined ? [] : explainText(why, screen).map((line) => `   ${line}`)),
  ].join('\n')
}
