/** What is asked of the map, as the address has it. Pure. */
import { isKind, type Kind } from '../../../model/kinds.ts'

export interface MapQuery {
  readonly text: string
  readonly hidden: ReadonlySet<Kind>
}

type Address = Readonly<Record<string, string>>

export function queryIn(address: Address): MapQuery {
  return {
    text: address['q'] ?? '',
    hidden: new Set((address['hide'] ?? '').split(',').filter(isKind)),
  }
}

export function addressWith(address: Address, { text, hidden }: MapQuery): Address {
  return { ...address, q: text, hide: [...hidden].join(',') }
}
