/**
 * A list of any length of which only the rows in sight are in the document, all of one height. The row that has the focus stays in it
 * wherever the list is scrolled to. The arrow keys, Home, End and the page keys go from row to row, so that Tab may leave at once.
 */
import type { ComponentChild, VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface VirtualListProps {
  /** What a screen reader calls it. */
  readonly label?: string
  readonly total: number
  readonly rowHeight: number
  /** The first link or button in it is what the arrow keys reach. Give it `tabIndex`, and Tab steps over the list at once. */
  readonly row: (index: number, tabIndex: 0 | -1) => ComponentChild
  /** What keeps its element while rows come and go before it; default: the index. */
  readonly keyOf?: (index: number) => string | undefined
  /** The rows that are in the document, `to` not included: for what is loaded as it is scrolled to. */
  readonly onRange?: (from: number, to: number) => void
}

/** Rows beyond the edges, so that a scroll finds them drawn. */
const BEYOND = 8

/** How far away a row is looked for that is no longer where it was. */
const MOST_STEPS = 200

export function VirtualList(props: VirtualListProps): VNode {
  const { label, total, rowHeight, row, keyOf, onRange } = props
  const box = useRef<HTMLDivElement>(null)
  const [sight, setSight] = useState({ top: 0, height: 0 })
  const [last, setLast] = useState<Place>({ index: 0, key: undefined })
  const [hasFocus, setHasFocus] = useState(false)
  const wanted = useRef<number | undefined>(undefined)

  const first = Math.max(0, Math.floor(sight.top / rowHeight) - BEYOND)
  const end = Math.min(total, Math.ceil((sight.top + sight.height) / rowHeight) + BEYOND)
  const shown = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index)
  const current = placeNow(last, keyOf)
  const tabStop = shown.includes(current) || hasFocus ? Math.min(current, total - 1) : Math.ceil(sight.top / rowHeight)
  if (hasFocus && current < total && !shown.includes(current)) shown.push(current)
  shown.sort((a, b) => a - b)

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const measure = (): void => setSight({ top: element.scrollTop, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    if (end > first) onRange?.(first, end)
  }, [first, end, onRange])

  useLayoutEffect(() => {
    // A row that goes, or moves, takes the focus along: what stands in its place has it next.
    const place = Math.min(current, total - 1)
    if (hasFocus && shown.includes(place) && document.activeElement === document.body) wanted.current ??= place
    const target = wanted.current === undefined ? null : rowElement(box.current, wanted.current)
    if (target === null) return
    const inside = target.querySelector<HTMLElement>('a, button')
    // A row that is on its way holds the place until there is something in it.
    if (inside !== null) wanted.current = undefined
    ;(inside ?? target).focus({ preventScroll: true })
  })

  const moveTo = (index: number): void => {
    const element = box.current
    if (element === null || total === 0) return
    const to = Math.min(Math.max(index, 0), total - 1)
    const [above, below] = [to * rowHeight, (to + 1) * rowHeight - element.clientHeight]
    element.scrollTop = Math.min(above, Math.max(below, element.scrollTop))
    wanted.current = to
    setLast({ index: to, key: keyOf?.(to) })
    setSight({ top: element.scrollTop, height: element.clientHeight })
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const page = Math.max(1, Math.floor(sight.height / rowHeight) - 1)
    const to = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: total - 1,
    }[event.key]
    if (to === undefined) return
    event.preventDefault()
    moveTo(to)
  }

  return (
    <div
      ref={box}
      class="virtual-list"
      onScroll={({ currentTarget: { scrollTop: top, clientHeight: height } }) => setSight({ top, height })}
    >
      <ul
        aria-label={label}
        style={{ height: `${total * rowHeight}px` }}
        onKeyDown={onKeyDown}
        onFocusIn={(event) => {
          setHasFocus(true)
          const index = indexOfRow(event.target)
          if (index !== undefined) setLast({ index, key: keyOf?.(index) })
        }}
        onFocusOut={({ relatedTarget }) => {
          setHasFocus(false)
          if (relatedTarget instanceof Node && box.current?.contains(relatedTarget) === false)
            wanted.current = undefined
        }}
      >
        {shown.map((index) => (
          <li
            key={keyOf?.(index) ?? index}
            data-index={index}
            tabIndex={-1}
            aria-setsize={total}
            aria-posinset={index + 1}
            style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {row(index, index === tabStop ? 0 : -1)}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** A row, and what it held when the focus came to it. */
interface Place {
  readonly index: number
  readonly key: string | undefined
}

/** Where that is by now: rows may have come or gone before it. */
function placeNow({ index, key }: Place, keyOf: VirtualListProps['keyOf']): number {
  if (key === undefined || keyOf === undefined) return index
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    if (keyOf(index + steps) === key) return index + steps
    if (keyOf(index - steps) === key) return index - steps
  }
  return index
}

function rowElement(box: HTMLElement | null, index: number): HTMLElement | null {
  return box?.querySelector<HTMLElement>(`[data-index="${index}"]`) ?? null
}

function indexOfRow(target: EventTarget | null): number | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null
  return row === null ? undefined : Number(row.dataset['index'])
}
