/** The way to the memory as it was at any moment, by the workspace's clocks. */
import type { VNode } from 'preact'
import { useId, useState } from 'preact/hooks'
import { instantOfLocal } from '../../../model/time.ts'
import { go, href, route } from '../../route.ts'
import { workspace } from '../../state.ts'

export function MomentForm(): VNode {
  const id = useId()
  const [typed, setTyped] = useState('')
  const zone = workspace.value?.zone ?? 'UTC'
  return (
    <form
      class="moment-form"
      onSubmit={(event) => {
        event.preventDefault()
        const [day, time] = typed.split('T')
        if (day === undefined || time === undefined) return
        const asOf = instantOfLocal(day, time.slice(0, 5), zone)
        go(href('browse', { asOf, agent: route.peek().query['agent'] }))
      }}
    >
      <label for={id}>The memory as it was</label>
      <input
        id={id}
        type="datetime-local"
        required
        min="1000-01-02T00:00"
        max="9999-12-30T23:59"
        title={zone}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <button type="submit">Go there</button>
    </form>
  )
}
