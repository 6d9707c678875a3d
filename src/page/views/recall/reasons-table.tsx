/** Every part of a score: what it is, what it is worth, and a bar that begins where the one above it ends. */
import type { VNode } from 'preact'
import type { Why } from '../../../recall/found.ts'
import { shortText } from '../../parts/number-text.ts'
import { type Reason, scoreText, worthOf } from './reasons.ts'
import { ReasonsBar } from './reasons-bar.tsx'

export interface ReasonsTableProps {
  readonly why: Why
  readonly reasons: readonly Reason[]
}

export function ReasonsTable({ why, reasons }: ReasonsTableProps): VNode {
  const measure = measureText(why)
  return (
    <div class="reasons-table">
      <table>
        <caption class="unseen">What the score is made of</caption>
        <thead class="unseen">
          <tr>
            <th scope="col">Reason</th>
            <td />
            <th scope="col">Part of the score</th>
          </tr>
        </thead>
        <tbody>
          {reasons.map((reason, index) => (
            <tr key={index}>
              <th scope="row">
                <span class={`reason-name is-${reason.group}`}>
                  <bdi>{reason.label}</bdi>
                </span>
                <span class="reason-detail">{reason.detail}</span>
              </th>
              <td class="reason-bar">
                <ReasonsBar reasons={reasons} only={reason} />
              </td>
              <td class="reason-worth">{worthText(worthOf(reason))}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Score</th>
            <td class="reason-bar">
              <ReasonsBar reasons={reasons} />
            </td>
            <td class="reason-worth">{scoreText(why.score)}</td>
          </tr>
        </tfoot>
      </table>
      {measure !== undefined && <p class="hint">{measure}</p>}
    </div>
  )
}

/** Thousandths with their sign. */
function worthText(thousandths: number): string {
  const sign = thousandths === 0 ? '' : thousandths < 0 ? '−' : '+'
  return `${sign}${(Math.abs(thousandths) / 1000).toFixed(3)}`
}

/** What the words are measured by. */
function measureText({ exact, words, supports, boosts, best, meaning }: Why): string | undefined {
  const points = [...words, ...supports].reduce((sum, part) => sum + part.score, 0)
  if (exact !== undefined || points === 0) return undefined
  const factors = boosts.reduce((product, { factor }) => product * factor, 1)
  const reached = `By its words it has ${shortText(points * factors)} of the ${shortText(best)} points that the query could reach.`
  return meaning === undefined ? reached : `${reached} That share and its meaning are weighed and added.`
}
