/** In place of everything, once the sample is gone and its server with it: what next. */
import { type Signal, signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export const isSampleRemoved: Signal<boolean> = signal(false)

export function SampleRemoved(): VNode {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <main class="alone">
      <img src="/icon.svg" alt="" width="48" height="48" />
      <h1 ref={heading} tabIndex={-1}>
        The sample is removed
      </h1>
      <p>Its server has ended too, so this page is done. For a memory of your own, in a terminal:</p>
      <dl class="steps">
        <dt>
          <code>keepsake init</code>
        </dt>
        <dd>makes one in the folder where you work.</dd>
        <dt>
          <code>keepsake install claude</code>
        </dt>
        <dd>gives it to your agent program; codex, gemini and opencode too.</dd>
        <dt>
          <code>keepsake remember "…"</code>
        </dt>
        <dd>writes the first thing to it yourself.</dd>
        <dt>
          <code>keepsake serve</code>
        </dt>
        <dd>brings this page back, with it.</dd>
      </dl>
    </main>
  )
}
