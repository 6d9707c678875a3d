/**
 * The chart of the growth, drawn by uPlot, which comes only when this is shown. Layers are drawn over each other, the top one first. The keys
 * go from day to day as the mouse does. No text of the memory gets into it: labels stand in the legend.
 */
import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type uPlot from 'uplot'
import { Failure } from '../../parts/failure.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { chartData, chartOptions } from './chart-options.ts'
import type { Layer } from './stack.ts'

export interface GrowthChartProps {
  readonly days: readonly string[]
  /** The top one first. */
  readonly layers: readonly Layer[]
  readonly colours: readonly string[]
  /** The one that is pointed at. */
  readonly day: number | undefined
  readonly onDay: (day: number | undefined) => void
  /** What is to be said of that day. */
  readonly text: string
}

export function GrowthChart({ days, layers, colours, day, onDay, text }: GrowthChartProps): VNode {
  const { value: library, error } = useLoaded(async () => import('uplot'), [])
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | undefined>(undefined)
  const data = JSON.stringify([days, layers, colours])

  useLayoutEffect(() => {
    const element = box.current
    if (library === undefined || element === null || colours.length < layers.length) return
    const options = chartOptions({ element, days, colours, onDay })
    const made = new library.default(options, chartData(days, layers), element)
    chart.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: options.height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
      chart.current = undefined
    }
  }, [library, data])
  useEffect(() => {
    const made = chart.current
    if (!made || day === undefined || made.cursor.idx === day) return
    // Without its hook: that tells where a mouse is, and would answer to this.
    made.setCursor({ left: made.valToPos(day, 'x'), top: 0 }, false)
  }, [day])

  const last = days.length - 1
  const onKeyDown = (event: KeyboardEvent): void => {
    const now = day ?? last
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, PageUp: now - 7, PageDown: now + 7, Home: 0, End: last }[
      event.key
    ]
    if (to === undefined) return
    event.preventDefault()
    onDay(Math.min(last, Math.max(0, to)))
  }
  return (
    <div
      class="growth-chart"
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label="Growth, day by day"
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={day ?? last}
      aria-valuetext={text}
      onKeyDown={onKeyDown}
    >
      {error && <Failure error={error} />}
    </div>
  )
}
