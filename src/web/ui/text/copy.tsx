import { Icon } from '../icon.tsx'
import { useCopy } from './clipboard.ts'

/** A value to copy: shown in full, copied with one click. */
export function Copy({ value, label }: { value: string; label: string }) {
  const copy = useCopy()
  return (
    <div className="flex min-w-0 items-center gap-2 rounded-md border border-line bg-canvas px-2.5 py-1.5">
      <code className="min-w-0 flex-1 break-all font-mono text-xs">{value}</code>
      <button
        type="button"
        onClick={() => void copy(value, label)}
        aria-label={`Copy ${label}`}
        className="rounded p-1 text-soft hover:bg-hover hover:text-ink"
      >
        <Icon name="copy" />
      </button>
    </div>
  )
}
