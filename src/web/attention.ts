/** Whether somebody is using the page: mouse or keyboard input within the last minutes. */

const LEFT_AFTER_MS = 120_000
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart'] as const

let seenAt = Date.now()
const returns = new Set<() => void>()

const see = () => {
  const wasAway = isAway()
  seenAt = Date.now()
  if (wasAway) for (const listener of returns) listener()
}
for (const sign of SIGNS) window.addEventListener(sign, see, { passive: true, capture: true })
document.addEventListener('visibilitychange', () => document.hidden || see())

export const isAway = (): boolean => Date.now() - seenAt > LEFT_AFTER_MS

/** Calls back when somebody is using it again. */
export function onReturn(listener: () => void): () => void {
  returns.add(listener)
  return () => void returns.delete(listener)
}
