import type { ReactNode } from 'react'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { useReport } from '../../ui/toast.tsx'

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
  const report = useReport()
  const toggle = () => report(setStatus(active ? 'paused' : 'active'), active ? 'Paused' : 'Resumed')
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
