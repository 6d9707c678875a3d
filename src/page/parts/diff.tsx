/** What became of a text, line by line. Signs and words say what colours say too. */
import type { VNode } from 'preact'
import type { DiffLine, Hunk } from '../../history/line-diff.ts'

export function Diff({ hunks }: { readonly hunks: readonly Hunk[] }): VNode {
  return (
    <div class="diff">
      {hunks.map((hunk) => (
        <div class="diff-hunk" key={`${hunk.before} ${hunk.after}`}>
          {isPart(hunk) && <p class="diff-place">{placeOf(hunk)}</p>}
          {hunk.lines.map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </div>
      ))}
    </div>
  )
}

/** What came or went as a whole has no place to tell. */
function isPart({ before, after }: Hunk): boolean {
  return before > 0 && after > 0
}

function placeOf({ before, after }: Hunk): string {
  return before === after ? `Line ${after}` : `Line ${before}, now ${after}`
}

function Line({ line: { kind, text } }: { readonly line: DiffLine }): VNode {
  if (kind === 'same') return <div class="diff-line">{text === '' ? '\u200b' : text}</div>
  const Change = kind === 'added' ? 'ins' : 'del'
  return (
    <Change class={`diff-line is-${kind}`}>
      <span class="unseen">{kind}: </span>
      {text === '' ? '\u200b' : text}
    </Change>
  )
}
