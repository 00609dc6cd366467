import { type ReactNode, useEffect, useRef } from 'react'
import { Icon } from './icon.tsx'

interface Props {
  title: string
  open: boolean
  onClose(): void
  children: ReactNode
  /** Stays until its own buttons close it. */
  firm?: boolean
}

/** The browser's own dialog: it keeps the focus inside and gives it back. */
export function Dialog({ title, open, onClose, children, firm = false }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    if (open && !dialog?.open) dialog?.showModal()
    if (!open && dialog?.open) dialog.close()
  }, [open])
  if (!open) return null
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself; a click beside it is the same for the mouse
    <dialog
      ref={ref}
      aria-label={title}
      onClose={onClose}
      onCancel={(event) => firm && event.preventDefault()}
      onClick={(event) => !firm && event.target === event.currentTarget && onClose()}
      className="m-auto w-[min(34rem,calc(100vw-2rem))] rounded-xl border border-line bg-raised p-0 text-ink shadow-float"
    >
      <div className="p-5">
        <div className="mb-4 flex items-start justify-between gap-4">
          <h2 className="text-lg font-semibold">{title}</h2>
          {!firm && (
            <button type="button" aria-label="Close" onClick={onClose} className="rounded p-1 text-soft hover:bg-hover">
              <Icon name="close" />
            </button>
          )}
        </div>
        {children}
      </div>
    </dialog>
  )
}
