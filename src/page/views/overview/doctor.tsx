/** What is wrong with the files, or may be. Looking takes a while in a large memory, so there somebody has to ask for it. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { DoctorAnswer, Finding } from '../../../api/contract.ts'
import { get } from '../../client.ts'
import { Failure } from '../../parts/failure.tsx'
import { wholeText } from '../../parts/number-text.ts'
import { useLoaded } from '../../parts/use-loaded.ts'
import { Panel } from './panel.tsx'

/** Fewer entries than these are looked at without asking. */
const SMALL = 2000

const SEVERITIES: readonly { readonly severity: Finding['severity']; readonly title: string; readonly sign: string }[] =
  [
    { severity: 'damage', title: 'Damage', sign: '✕' },
    { severity: 'warning', title: 'Warnings', sign: '!' },
    { severity: 'note', title: 'Notes', sign: 'i' },
  ]

export function Doctor({ entries }: { readonly entries: number }): VNode {
  const [round, setRound] = useState(() => (entries < SMALL ? 1 : 0))
  const { value, error, isLoading } = useLoaded(
    async (signal) => (round === 0 ? undefined : get<DoctorAnswer>('/doctor', {}, signal)),
    [round],
  )
  const isLooking = isLoading && round > 0
  return (
    <Panel
      title="Doctor"
      isWide
      beside={
        // Not `disabled`: that would take the focus away from it.
        <button type="button" aria-disabled={isLooking} onClick={isLooking ? undefined : () => setRound(round + 1)}>
          {isLooking ? 'Looking…' : value ? 'Look again' : 'Look at every file'}
        </button>
      }
    >
      <p class="quiet" role="status">
        {isLooking
          ? 'Looking at every file…'
          : value
            ? verdict(value)
            : 'Nobody has looked yet. Looking changes nothing.'}
      </p>
      {error && <Failure error={error} />}
      {value && SEVERITIES.map((group) => <Findings key={group.severity} {...group} findings={value.findings} />)}
    </Panel>
  )
}

function verdict({ findings, checked, unsupported }: DoctorAnswer): string {
  if (unsupported !== undefined) return unsupported
  const looked = `${wholeText(checked)} ${checked === 1 ? 'file or record' : 'files or records'} looked at`
  return findings.length === 0 ? `Nothing found: ${looked}.` : `${findings.length} found, ${looked}.`
}

interface FindingsProps {
  readonly severity: Finding['severity']
  readonly title: string
  readonly sign: string
  readonly findings: readonly Finding[]
}

function Findings({ severity, title, sign, findings }: FindingsProps): VNode | null {
  const own = findings.filter((finding) => finding.severity === severity)
  if (own.length === 0) return null
  return (
    <div class={`findings is-${severity}`}>
      <h3>
        <span class="findings-sign" aria-hidden="true">
          {sign}
        </span>
        {title} <span class="quiet">({own.length})</span>
      </h3>
      <ul>
        {own.map(({ code, message, hint, path }) => (
          <li key={`${code} ${path} ${message}`}>
            {path !== undefined && <code class="findings-path">{path}</code>}
            <p>
              {message} <span class="quiet small">[{code}]</span>
            </p>
            <p class="hint">{hint}</p>
          </li>
        ))}
      </ul>
    </div>
  )
}
