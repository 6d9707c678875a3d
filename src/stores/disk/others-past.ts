/** Who else says, or said, what is purged: theirs, and so not touched, but told. Pure. */
import type { Entry } from '../../model/entry.ts'
import type { History } from '../../ports/store.ts'

/** As sentences. */
export function othersPast({ entries, changes }: History, needles: readonly string[]): string[] {
  if (needles.length === 0) return []
  const quoted = needles.map((needle) => JSON.stringify(needle).slice(1, -1))
  const holds = (entry: Entry | undefined): boolean => {
    const text = JSON.stringify(entry ?? null)
    return quoted.some((needle) => text.includes(needle))
  }
  const found = new Map(entries.filter(holds).map((entry) => [entry.name ?? entry.id, 'before the oldest change']))
  for (const { change, touched } of changes) {
    for (const { after } of touched.filter((one) => holds(one.after))) {
      found.set(after?.name ?? after?.id ?? '', `in change ${change.number}`)
    }
  }
  return [...found].map(([name, when]) => `the past of "${name}", which said the same ${when}: purge that one, too`)
}
