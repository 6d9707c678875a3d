/** The text of an entry, as it is meant to be read or as it is written. */
import type { VNode } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { Empty } from '../../parts/empty.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Source } from '../../parts/source.tsx'

const TABS = ['Rendered', 'Source'] as const

/** Whoever wants the source wants it of the next entry too. */
let lastTab: (typeof TABS)[number] = 'Rendered'

export function EntryText({ content }: { readonly content: string }): VNode {
  const [tab, setTab] = useState(lastTab)
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const choose = (name: (typeof TABS)[number]): void => {
    lastTab = name
    setTab(name)
  }
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return
    const other = tab === 'Source' ? 'Rendered' : 'Source'
    choose(other)
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-${other}`)}`)?.focus()
  }
  return (
    <section class="entry-text" aria-label="Text">
      <div class="tabs" role="tablist" aria-label="How the text is shown" ref={list} onKeyDown={onKeyDown}>
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === tab}
            aria-controls={`${id}-panel`}
            tabIndex={name === tab ? 0 : -1}
            onClick={() => choose(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`}>
        {content === '' ? (
          <Empty>It has no text.</Empty>
        ) : tab === 'Rendered' ? (
          <Markdown text={content} />
        ) : (
          <Source text={content} />
        )}
      </div>
    </section>
  )
}
