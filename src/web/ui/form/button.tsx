import type { ButtonHTMLAttributes } from 'react'

type Look = 'main' | 'plain' | 'quiet' | 'danger'

const LOOKS: Record<Look, string> = {
  main: 'bg-accent text-accent-ink border-transparent hover:brightness-110',
  plain: 'bg-panel text-ink border-line hover:bg-hover',
  quiet: 'bg-transparent text-soft border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-panel text-err border-line hover:bg-err-wash',
}

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look
  /** Shows progress and ignores further clicks. */
  busy?: boolean
}

export const buttonClass = (look: Look = 'plain') =>
  `inline-flex h-8 items-center justify-center gap-1.5 whitespace-nowrap rounded-md border px-3 text-sm font-medium transition-colors disabled:opacity-55 aria-disabled:opacity-55 ${LOOKS[look]}`

/** A busy button is not disabled: browsers would move the focus away from keyboard users. */
export const Button = ({ look = 'plain', busy = false, className = '', children, onClick, ...rest }: Props) => (
  <button
    type="button"
    {...rest}
    onClick={busy ? (event) => event.preventDefault() : onClick}
    aria-disabled={busy || rest['aria-disabled']}
    aria-busy={busy || undefined}
    className={`${buttonClass(look)} ${className}`}
  >
    {busy ? 'One moment…' : children}
  </button>
)
