/** What became of all of an entry but its text. Words say what colours and lines say too. */
import type { VNode } from 'preact'
import type { TouchedView } from '../../../api/contract.ts'
import { Moment } from '../../parts/moment.tsx'

export function FieldChanges({ fields }: Pick<TouchedView, 'fields'>): VNode {
  return (
    <dl class="field-changes">
      {fields.map(({ field, before, after }) => (
        <div key={field}>
          <dt>{FIELD_NAMES[field] ?? field}</dt>
          <dd>
            {!isNothing(before) && (
              <del>
                <span class="unseen">was </span>
                <Value field={field} text={before} />
              </del>
            )}{' '}
            {isNothing(after) ? (
              <span class="quiet">none</span>
            ) : (
              <ins>
                <span class="unseen">is now </span>
                <Value field={field} text={after} />
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const FIELD_NAMES: Readonly<Record<string, string>> = { expiresAt: 'ends', path: 'file' }

function Value({ field, text }: { readonly field: string; readonly text: string }): VNode {
  if (field === 'expiresAt') return <Moment at={text} />
  return <bdi>{field === 'aliases' ? listText(text) : text}</bdi>
}

/** What is no text comes as JSON. */
function isNothing(text: string): boolean {
  return text === '' || text === '[]' || text === '{}'
}

function listText(text: string): string {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.join(', ') : text
  } catch {
    return text
  }
}
