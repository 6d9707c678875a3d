/** All that an entry is besides its text. */
import type { ComponentChildren, VNode } from 'preact'
import type { Entry, JsonValue } from '../../../model/entry.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Moment } from '../../parts/moment.tsx'
import { workspace } from '../../state.ts'
import { Aliases } from './aliases.tsx'
import { entryRights } from './entry-rights.ts'
import { originText } from './origin-text.ts'

export interface EntryFactsProps {
  readonly entry: Entry
  readonly isReadOnly: boolean
  readonly onWritten: (entry: Entry) => void
}

export function EntryFacts({ entry, isReadOnly, onWritten }: EntryFactsProps): VNode {
  const { hasAttributes } = entryRights(entry.kind, workspace.value?.soulEditable ?? false)
  const metadata = Object.entries(entry.metadata)
  return (
    <section class="entry-facts" aria-labelledby="facts-title">
      <h3 id="facts-title">About it</h3>
      <dl>
        {hasAttributes && entry.name !== null && (
          <Fact term="Aliases">
            <Aliases entry={entry} isReadOnly={isReadOnly} onWritten={onWritten} />
          </Fact>
        )}
        {entry.key !== undefined && <Fact term="Key">{entry.key}</Fact>}
        {metadata.length > 0 && (
          <Fact term="Metadata">
            <ul class="metadata">
              {metadata.map(([name, value]) => (
                <li key={name}>
                  <code>{name}</code> {textOf(value)}
                </li>
              ))}
            </ul>
          </Fact>
        )}
        <Fact term="Created">
          <Moment at={entry.createdAt} isWhole />
        </Fact>
        <Fact term="Changed">
          <Moment at={entry.updatedAt} isWhole />
        </Fact>
        <Fact term="Ends">{entry.expiresAt === null ? 'never' : <Moment at={entry.expiresAt} isWhole />}</Fact>
        <Fact term="Written by">{originText(entry.origin)}</Fact>
        {entry.path !== undefined && (
          <Fact term="File">
            <code>{entry.path}</code> <CopyButton label="Copy path" text={pathOnDisk(entry.path)} />
          </Fact>
        )}
        <Fact term="Revision">
          <code>{entry.revision}</code>
        </Fact>
        <Fact term="Id">
          <code>{entry.id}</code>
        </Fact>
      </dl>
    </section>
  )
}

function Fact({ term, children }: { readonly term: string; readonly children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function pathOnDisk(path: string): string {
  const root = workspace.value?.root.replace(/\/$/, '')
  return root === undefined ? path : `${root}/${path}`
}
