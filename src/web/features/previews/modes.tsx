import { useState } from 'react'
import { useKeys } from '../../keys.ts'
import { Button } from '../../ui/form/button.tsx'

/** How two versions are shown, each with its key. */
const MODES = {
  single: ['Single', 'v'],
  beside: ['Side by side', 's'],
  swipe: ['Swipe', 'w'],
  difference: ['Difference', 'x'],
} as const
export type Mode = keyof typeof MODES

/** The mode that the viewer chose, with its buttons and keys; always single while nothing is compared. */
export function useMode(modes: readonly Mode[], isCompared: boolean) {
  const [chosen, setMode] = useState<Mode>('single')
  const mode = isCompared ? chosen : 'single'
  useKeys(isCompared ? Object.fromEntries(modes.map((one) => [MODES[one][1], () => setMode(one)])) : {})
  const buttons =
    isCompared &&
    modes.map((one) => {
      const [label, key] = MODES[one]
      return (
        <Button
          key={one}
          look={mode === one ? 'plain' : 'quiet'}
          aria-pressed={mode === one}
          aria-keyshortcuts={key}
          title={`${label} (${key})`}
          onClick={() => setMode(one)}
        >
          {label}
        </Button>
      )
    })
  return { mode, buttons }
}

export const PICTURE_MODES: readonly Mode[] = ['single', 'beside', 'swipe', 'difference']
/** Of what turns or plays. */
export const MOVING_MODES: readonly Mode[] = ['single', 'beside']

/** One version above the other on phones, else side by side. */
export const besideClass = (mode: Mode) => (mode === 'beside' ? 'grid-rows-2 sm:grid-cols-2 sm:grid-rows-1' : '')
