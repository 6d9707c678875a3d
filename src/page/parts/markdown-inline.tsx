/** What stands in a line of Markdown, as elements: emphasis, code, links, and the text itself with its marks. */
import type { MarkedToken, Token } from 'marked'
import type { ComponentChild, VNode } from 'preact'
import { REFERENCE, readReference } from './character-reference.ts'
import { Highlighted } from './highlighted.tsx'
import type { Finder } from './markdown-place.ts'
import type { Range } from './marked-ranges.ts'
import { webAddress } from './web-address.ts'

export interface Drawing {
  readonly ranges: readonly Range[]
  /** Missing where nothing is to be marked. */
  readonly finder: Finder | undefined
  /** How many elements deep. */
  readonly depth: number
}

/** Far more than anybody writes, and few enough for every stack. */
export const MOST_DEPTH = 60

export function deeper(drawing: Drawing): Drawing {
  return { ...drawing, depth: drawing.depth + 1 }
}

export function drawInline(tokens: readonly Token[], drawing: Drawing): ComponentChild[] {
  return tokens.map((token) => {
    const draw = (): ComponentChild => drawOne(token as MarkedToken, deeper(drawing)) // no extension is installed that could bring other ones
    return drawing.finder ? drawing.finder.inside(token.raw, draw) : draw()
  })
}

function drawOne(token: MarkedToken, drawing: Drawing): ComponentChild {
  if (drawing.depth > MOST_DEPTH) return drawText(token.raw, drawing, { isLiteral: true })
  switch (token.type) {
    case 'text':
      return token.tokens ? drawInline(token.tokens, drawing) : drawText(token.text, drawing)
    case 'escape':
      return drawText(token.text, drawing)
    case 'strong':
      return <strong>{drawInline(token.tokens, drawing)}</strong>
    case 'em':
      return <em>{drawInline(token.tokens, drawing)}</em>
    case 'del':
      return <del>{drawInline(token.tokens, drawing)}</del>
    case 'codespan':
      return <code>{drawText(token.text, drawing, { isLiteral: true })}</code>
    case 'br':
      return <br />
    case 'link':
      return webAddress(token.href) === undefined
        ? drawAsWritten(token.raw, drawing)
        : drawLink(token.href, token.title, drawInline(token.tokens, drawing))
    case 'image':
      return drawImage(token.text, token.href, token.raw)
    default:
      return drawAsWritten(token.raw, drawing)
  }
}

/** None where it leads elsewhere than to the web or to a mailbox. */
function drawLink(href: string, title: string | null | undefined, children: ComponentChild): VNode | undefined {
  const address = webAddress(href)
  if (address === undefined) return undefined
  return (
    <a href={address} title={title ? `${address} “${title}”` : address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

/** Never loaded: that would tell its server who reads this memory, and when. */
function drawImage(alt: string, href: string, raw: string): VNode {
  const link = drawLink(href, undefined, href)
  if (link === undefined) return <span class="as-written">{raw}</span>
  return (
    <span class="image">
      <span class="unseen">Image: </span>
      {alt} {link}
    </span>
  )
}

function drawAsWritten(raw: string, drawing: Drawing): VNode {
  return <span class="as-written">{drawText(raw, drawing, { isLiteral: true })}</span>
}

/** `isLiteral`: `&amp;` stays what it is. */
export function drawText(
  text: string,
  drawing: Drawing,
  { isLiteral = false }: { readonly isLiteral?: boolean } = {},
): ComponentChild[] {
  const pieces = isLiteral ? text.split(/(\n)/) : text.split(REFERENCE)
  return pieces.map((piece) => {
    const at = piece === '' ? undefined : drawing.finder?.find(piece)
    if (!isLiteral && piece.startsWith('&')) return readReference(piece)
    return at === undefined ? piece : <Highlighted text={piece} ranges={drawing.ranges} offset={at} />
  })
}
