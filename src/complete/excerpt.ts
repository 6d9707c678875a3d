/** What a server said, for a message to people: one short line without anything that could steer a terminal, and never the key. */

const MOST_CHARACTERS = 200

/** A key shorter than this is a word such as "none", and no secret. */
const LEAST_SECRET = 4

export function excerpt(text: string, key: string | undefined): string {
  const shown = withoutKey(isHtml(text) ? htmlText(text) : text, key)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  const line = shown.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/g, ' ')
  const short = line.replace(/\s+/g, ' ').trim().toWellFormed()
  return short.length > MOST_CHARACTERS ? `${short.slice(0, MOST_CHARACTERS).toWellFormed()}…` : short
}

/** A key that we were not told (a model of the AI SDK has its own) is known by its look. */
const LOOKS_LIKE_A_KEY = /\b(?:[a-z]{0,4}sk[-_]|xai-|AIza)[\w*.-]{8,}/g

function withoutKey(text: string, key: string | undefined): string {
  const hidden = text.replace(/\bBearer\s+\S+/gi, 'Bearer [the key]')
  const own = key !== undefined && key.length >= LEAST_SECRET ? hidden.replaceAll(key, '[the key]') : hidden
  return own.replace(LOOKS_LIKE_A_KEY, '[a key]')
}

export function isHtml(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body)/i.test(text)
}

/** The title of the page tells most. */
function htmlText(page: string): string {
  const title = /<title[^>]{0,200}>([^<]{1,1000})/i.exec(page)?.[1]
  return `an HTML page${title === undefined ? '' : `: ${title}`}`
}
