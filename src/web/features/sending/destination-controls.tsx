import type { ReactNode } from 'react'
import { wordsOf } from '../../api.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { useToast } from '../../ui/toast.tsx'

interface Props {
  /** Channel or Webhook. */
  noun: string
  title: string
  active: boolean
  locked: boolean
  busy: boolean
  setStatus(status: 'active' | 'paused'): Promise<unknown>
  remove(): Promise<unknown>
  /** The consequences of removing it. */
  children: ReactNode
}

/** Pauses, resumes and removes a channel or webhook. */
export function DestinationControls({ noun, title, active, locked, busy, setStatus, remove, children }: Props) {
  const say = useToast()
  const toggle = () =>
    setStatus(active ? 'paused' : 'active').then(
      () => say(active ? 'Paused' : 'Resumed'),
      (error: unknown) => say(wordsOf(error), 'err'),
    )
  return (
    <>
      <Button disabled={locked} busy={busy} onClick={() => void toggle()}>
        {active ? 'Pause' : 'Resume'}
      </Button>
      <Confirm label="Remove" title={title} action="Remove it" disabled={locked} done={`${noun} removed`} run={remove}>
        {children}
      </Confirm>
    </>
  )
}
