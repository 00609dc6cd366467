import { useToast } from '../toast.tsx'

/** Copies and confirms it. Browsers have no clipboard on pages without https, except on this machine. */
export function useCopy(): (value: string, label: string) => Promise<void> {
  const say = useToast()
  return async (value, label) => {
    try {
      await navigator.clipboard.writeText(value)
      say(`${label} copied`)
    } catch {
      say('Your browser blocked copying. Select the text and copy it yourself.', 'err')
    }
  }
}
