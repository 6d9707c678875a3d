/**
 * How uPlot is to draw the growth: filled layers over each other, days below, numbers at the side, nothing to drag. On its axis a day is
 * a number, counted from the first: days are the same in every zone, and so no clock has a say.
 */
import type uPlot from 'uplot'
import { wholeText } from '../../parts/number-text.ts'
import { shortDayText } from './day-text.ts'
import type { Layer } from './stack.ts'

export interface ChartLook {
  /** What it stands in, which says its width and its colours. */
  readonly element: HTMLElement
  readonly days: readonly string[]
  readonly colours: readonly string[]
  readonly onDay: (day: number | undefined) => void
}

const HEIGHT_PX = 260
/** Between two days that are named. */
const STEPS = [1, 2, 7, 14, 28, 56, 91, 182]

export function chartData(days: readonly string[], layers: readonly Layer[]): uPlot.AlignedData {
  return [days.map((_, index) => index), ...layers.map(({ tops }) => [...tops])]
}

export function chartOptions({ element, days, colours, onDay }: ChartLook): uPlot.Options {
  const look = getComputedStyle(element)
  const token = (name: string): string => look.getPropertyValue(`--${name}`).trim()
  const axis: uPlot.Axis = {
    stroke: token('ink-quiet'),
    font: `12px ${look.fontFamily}`,
    grid: { stroke: token('line'), width: 1 },
    ticks: { show: false },
  }
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    padding: [8, 28, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: [0, days.length - 1] },
      y: { range: (_, __, most) => [0, Math.max(1, most) * 1.05] },
    },
    axes: [
      { ...axis, incrs: STEPS, space: 72, size: 28, values: (_, ticks) => ticks.map((tick) => tickText(days, tick)) },
      { ...axis, size: 52, values: (_, ticks) => ticks.map(countText) },
    ],
    series: [
      {},
      // The line between two layers is the ground's.
      ...colours.map((colour) => ({ fill: colour, stroke: token('sheet'), width: 1, points: { show: false } })),
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => onDay(idx ?? undefined)] },
  }
}

function tickText(days: readonly string[], tick: number): string {
  const day = days[tick]
  return day === undefined ? '' : shortDayText(day)
}

/** Of entries there are no halves. */
function countText(count: number): string {
  return Number.isInteger(count) ? wholeText(count) : ''
}
