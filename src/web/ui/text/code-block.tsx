import { Icon } from '../icon.tsx'
import { useCopy } from './clipboard.ts'

/** Text to paste elsewhere, or to read: scrollable, copied with one click. */
export function CodeBlock({ code, label = 'Text', tall = false }: { code: string; label?: string; tall?: boolean }) {
  const copy = useCopy()
  return (
    <div className="relative min-w-0">
      {/* biome-ignore lint/a11y/useSemanticElements: not a landmark, of which a guide would have a dozen, and not part of a form */}
      <div
        role="group"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        className={`overflow-auto rounded-md border border-line bg-canvas ${tall ? 'max-h-96' : ''}`}
      >
        <pre className="w-max min-w-full p-3 pr-12 font-mono text-xs leading-5">{code}</pre>
      </div>
      <button
        type="button"
        onClick={() => void copy(code, label)}
        aria-label={`Copy ${label}`}
        title="Copy"
        className="absolute top-1.5 right-1.5 rounded border border-line bg-panel p-1.5 text-soft hover:bg-hover hover:text-ink"
      >
        <Icon name="copy" />
      </button>
    </div>
  )
}
