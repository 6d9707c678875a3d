/** Numbers as people read them. The formatters are made once: a list of hits shows hundreds, and making one takes longer than all of them. */

const WHOLE = new Intl.NumberFormat('en')
const SHORT = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

/** `12,345` */
export function wholeText(count: number): string {
  return WHOLE.format(count)
}

/** `3.19`, `0.0124` */
export function shortText(number: number): string {
  return SHORT.format(number)
}
