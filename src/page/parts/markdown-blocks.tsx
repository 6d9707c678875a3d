/** The parser's blocks as elements: paragraphs, lists, tables, code. What stands in a line is in markdown-inline.tsx. */
import type { MarkedToken, Token, Tokens } from 'marked'
import type { ComponentChild, VNode } from 'preact'
import { type Drawing, deeper, drawInline, drawText, MOST_DEPTH } from './markdown-inline.tsx'

export function drawBlocks(tokens: readonly Token[], drawing: Drawing): ComponentChild[] {
  return tokens.map((token) => {
    const draw = (): ComponentChild => drawBlock(token as MarkedToken, drawing) // no extension is installed that could bring other ones
    return drawing.finder ? drawing.finder.inside(token.raw, draw) : draw()
  })
}

function drawBlock(token: MarkedToken, drawing: Drawing): ComponentChild {
  if (drawing.depth > MOST_DEPTH) return drawAsWritten(token.raw, drawing)
  switch (token.type) {
    case 'space':
      return null
    case 'paragraph':
      return <p>{drawInline(token.tokens, drawing)}</p>
    case 'heading':
      return drawHeading(token, drawing)
    case 'code':
      return drawCode(token, drawing)
    case 'blockquote':
      return <blockquote dir="auto">{drawBlocks(token.tokens, deeper(drawing))}</blockquote>
    case 'list':
      return drawList(token, drawing)
    case 'table':
      return drawTable(token, drawing)
    case 'hr':
      return <hr />
    case 'text':
      return token.tokens ? drawInline(token.tokens, drawing) : drawText(token.text, drawing)
    case 'checkbox':
      return (
        <span role="img" aria-label={token.checked ? 'done' : 'to do'}>
          {token.checked ? '☑ ' : '☐ '}
        </span>
      )
    default:
      // Tags, comments and definitions: a place to hide words that only a model reads. Here they are read.
      return drawAsWritten(token.raw, drawing)
  }
}

function drawAsWritten(raw: string, drawing: Drawing): VNode {
  return <pre class="as-written">{drawText(raw.trimEnd(), drawing, { isLiteral: true })}</pre>
}

/** Below the page's own two levels, so that the outline stays one. */
function drawHeading({ depth, tokens }: Tokens.Heading, drawing: Drawing): VNode {
  const Level = `h${Math.min(6, depth + 2)}` as 'h3' | 'h4' | 'h5' | 'h6' // of 1 to 6
  return <Level class={`is-level-${depth}`}>{drawInline(tokens, drawing)}</Level>
}

function drawCode({ text, lang }: Tokens.Code, drawing: Drawing): VNode {
  return (
    <pre>
      {lang !== undefined && lang !== '' && <span class="language">{lang}</span>}
      <code>{drawText(text, drawing, { isLiteral: true })}</code>
    </pre>
  )
}

function drawList(list: Tokens.List, drawing: Drawing): VNode {
  const items = list.items.map((item) => {
    const draw = (): VNode => <li>{drawBlocks(item.tokens, deeper(drawing))}</li>
    return drawing.finder ? drawing.finder.inside(item.raw, draw) : draw()
  })
  // What marks the items stands where they begin.
  if (!list.ordered) return <ul dir="auto">{items}</ul>
  return (
    <ol dir="auto" start={list.start === '' ? 1 : list.start}>
      {items}
    </ol>
  )
}

function drawTable({ header, rows }: Tokens.Table, drawing: Drawing): VNode {
  const cells = (row: readonly Tokens.TableCell[], Cell: 'th' | 'td'): VNode[] =>
    row.map(({ tokens, align }) => (
      <Cell class={align === null ? '' : `is-${align}`}>{drawInline(tokens, drawing)}</Cell>
    ))
  return (
    // Wider than the page it scrolls by itself, so keys must reach it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: as above.
    <section class="table" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>{cells(header, 'th')}</tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
