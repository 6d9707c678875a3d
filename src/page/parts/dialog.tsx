/** A question or a form over the page. The browser's own dialog keeps the focus inside, closes on Esc and gives the focus back. */
import type { ComponentChildren, VNode } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

export interface DialogProps {
  readonly title: string
  /** By Esc, by its own button or by a click beside it; whoever shows it takes it away then. */
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function Dialog({ title, onClose, children }: DialogProps): VNode {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const close = useRef(onClose)
  close.current = onClose
  const isPressedBeside = useRef(false)
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    if (dialog !== null) dialog.onclose = () => close.current()
    return () => {
      if (dialog === null) return
      // Only a dialog that is closed gives the focus back; one that merely goes away loses it. Whoever took it away knows already.
      dialog.onclose = null
      dialog.close()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc does by keys what a click on the backdrop does.
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={titleId}
      onPointerDown={(event) => {
        isPressedBeside.current = event.target === element.current
      }}
      onClick={(event) => {
        // A selection that is drawn out of the dialog ends in a click beside it too.
        if (event.target === element.current && isPressedBeside.current) onClose()
      }}
    >
      <div class="dialog-body">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
