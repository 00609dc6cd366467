import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'

interface Props {
  /** The content of the button. */
  label: ReactNode
  name: string
  className?: string
  /** Its links and buttons; choosing one closes it. */
  children: ReactNode
  up?: boolean
}

/** A button that opens a menu; arrows move, Escape closes. */
export function Menu({ label, name, children, className = '', up = false }: Props) {
  const [open, setOpen] = useState(false)
  const ref = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    if (!open) return
    const leave = (event: PointerEvent) => !ref.current?.contains(event.target as Node) && setOpen(false)
    document.addEventListener('pointerdown', leave)
    return () => document.removeEventListener('pointerdown', leave)
  }, [open])
  const walk = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      setOpen(false)
      ref.current?.querySelector('button')?.focus()
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    const items = [...(ref.current?.querySelectorAll<HTMLElement>(`[id="${id}"] a, [id="${id}"] button`) ?? [])]
    const at = items.indexOf(document.activeElement as HTMLElement)
    items.at((at + (event.key === 'ArrowDown' ? 1 : -1)) % items.length)?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the button and the list inside
    <div ref={ref} className="relative" onKeyDown={walk}>
      <button type="button" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)} className={className}>
        <span className="sr-only">{name}: </span>
        {label}
      </button>
      {open && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the clicks are those of the links and buttons inside
        // biome-ignore lint/a11y/noStaticElementInteractions: it only notices that one of them was chosen
        <div
          id={id}
          onClick={() => setOpen(false)}
          className={`absolute left-0 z-40 grid max-h-[70vh] w-full min-w-52 grid-cols-1 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-float ${up ? 'bottom-full mb-1' : 'top-full mt-1'}`}
        >
          {children}
        </div>
      )}
    </div>
  )
}

export const itemClass =
  'flex items-center gap-2 rounded px-2 py-1.5 text-left text-sm text-ink hover:bg-hover focus-visible:bg-hover'
