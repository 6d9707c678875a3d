/**
 * What a model thought before it answered, where it stands in the reply: `<think>…</think>`, and the channels of other formats. Thinking
 * that never ends was cut off, and no answer comes after it. A template may swallow the opening tag: what stands before a closing one is thinking
 * too. Time is proportional to the length.
 */

const NAMES = 'think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad|analysis'
const OPENING = new RegExp(`<(${NAMES})>|\\[(THINK)\\]|◁(think)▷`, 'iy')
const CLOSING = new RegExp(`</(?:${NAMES})>|\\[/THINK\\]|◁/think▷`, 'iy')
const CHANNEL = /<\|channel\|>(\w+)(?:[^<\n]{0,80})?<\|message\|>/iy
const CHANNEL_ENDS = /<\|(?:end|start|return|call)\|>/gi
const SIGNS = '<[◁'

/** Where what begins at `at` leads: past a thinking block, to the end of all where it is not closed. */
export type Step =
  | { readonly is: 'thinking'; readonly end: number }
  /** Everything before it was thinking. */
  | { readonly is: 'answer begins'; readonly end: number }

export function thinkingAt(text: string, at: number): Step | undefined {
  if (!SIGNS.includes(text[at] ?? ' ')) return undefined
  const [opening, tag, square, triangle] = matchAt(OPENING, text, at) ?? []
  if (opening !== undefined) {
    const name = tag ?? square ?? triangle ?? ''
    return { is: 'thinking', end: closingBehind(text, at + opening.length, name) }
  }
  const [closing] = matchAt(CLOSING, text, at) ?? []
  if (closing !== undefined) return { is: 'answer begins', end: at + closing.length }
  const [channel, name = ''] = matchAt(CHANNEL, text, at) ?? []
  if (channel === undefined) return undefined
  if (name.toLowerCase() === 'final') return { is: 'answer begins', end: at + channel.length }
  CHANNEL_ENDS.lastIndex = at + channel.length
  return { is: 'thinking', end: CHANNEL_ENDS.exec(text)?.index ?? text.length }
}

function opensThinking(text: string, at: number): boolean {
  if (!SIGNS.includes(text[at] ?? ' ')) return false
  if (matchAt(OPENING, text, at)) return true
  const [channel, name = ''] = matchAt(CHANNEL, text, at) ?? []
  return channel !== undefined && name.toLowerCase() !== 'final'
}

/**
 * The text behind the thinking; empty where that never ends. `answer` finds where an answer begins: a tag that opens behind that stands in the answer,
 * and is its own.
 */
export function behindThinking(text: string, answer: RegExp): string {
  const beginsBehind = (from: number): number => indexFrom(answer, text, from)
  let [start, begins] = [0, beginsBehind(0)]
  for (let at = 0; at < text.length; at++) {
    // Told before its end is looked for: an answer may have thousands of them.
    if (at > begins && opensThinking(text, at)) continue
    const step = thinkingAt(text, at)
    if (!step) continue
    start = step.end
    at = step.end - 1
    if (begins < start) begins = beginsBehind(start)
  }
  return text.slice(start)
}

function indexFrom(pattern: RegExp, text: string, from: number): number {
  const global = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}g`)
  global.lastIndex = from
  return global.exec(text)?.index ?? Number.POSITIVE_INFINITY
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function closingBehind(text: string, from: number, name: string): number {
  const closing = new RegExp(`</${name}>|\\[/${name}\\]|◁/${name}▷`, 'gi')
  closing.lastIndex = from
  return closing.exec(text) ? closing.lastIndex : text.length
}
