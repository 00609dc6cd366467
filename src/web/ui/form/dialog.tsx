import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { InDialog, useCover } from '../../polling.ts'
import { Icon } from '../icon.tsx'

interface Props {
  title: string
  open: boolean
  onClose(): void
  children: ReactNode
  /** Stays until its own buttons close it. */
  firm?: boolean
}

/** The browser's own dialog: it traps the focus and returns it. */
export const Dialog = ({ open, ...rest }: Props) => open && <Opened {...rest} />

const FIELD = 'input:not([disabled], [type="hidden"]), textarea:not([disabled]), select:not([disabled])'

function Opened({ title, onClose, children, firm = false }: Omit<Props, 'open'>) {
  const ref = useRef<HTMLDialogElement>(null)
  useCover()
  // Before painting: immediate typing goes into the first field.
  useLayoutEffect(() => {
    const dialog = ref.current!
    dialog.showModal()
    dialog.querySelector<HTMLElement>(FIELD)?.focus()
    // A dialog that is only unmounted would lose the focus.
    return () => dialog.close()
  }, [])
  // Browsers close at the second Escape even if the first was canceled.
  const closed = () => {
    if (!ref.current || ref.current.open) return
    if (firm) ref.current.showModal()
    else onClose()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself; a click outside does the same for the mouse
    <dialog
      ref={ref}
      aria-label={title}
      onClose={closed}
      onCancel={(event) => firm && event.preventDefault()}
      onClick={(event) => !firm && event.target === event.currentTarget && onClose()}
      className="m-auto w-[min(34rem,calc(100vw-2rem))] rounded-xl border border-line bg-raised p-0 text-left text-ink shadow-float"
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
        <InDialog value={true}>{children}</InDialog>
      </div>
    </dialog>
  )
}
