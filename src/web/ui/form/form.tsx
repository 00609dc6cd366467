import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { wordsOf } from '../../api.ts'
import { Notice } from '../notice.tsx'
import { useToast } from '../toast.tsx'
import { Button } from './button.tsx'

interface Props {
  /** The label of the button. */
  action: string
  submit(): Promise<unknown>
  /** The toast after a success. */
  done?: string | undefined
  children: ReactNode
  beside?: ReactNode
  disabled?: boolean
  /** The main form of a page: its first field gets the focus. */
  eager?: boolean
}

/** Fields and one button. An error is shown above the button; the input is kept. */
export function Form({ action, submit, done, children, beside, disabled = false, eager = false }: Props) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const say = useToast()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (eager) [...form.current!.querySelectorAll('input')].find(({ value }) => value === '')?.focus()
  }, [eager])
  // In a long dialog the error would appear below the part that is visible.
  useEffect(() => {
    if (error) form.current!.querySelector('[role="alert"]')?.scrollIntoView({ block: 'nearest' })
  }, [error])
  const send = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    setError(undefined)
    try {
      await submit()
      if (done) say(done)
    } catch (failure) {
      setError(wordsOf(failure))
    }
    setBusy(false)
  }
  return (
    <form ref={form} onSubmit={send} className="grid gap-4">
      {children}
      {error && <Notice kind="err">{error}</Notice>}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look="main" busy={busy} disabled={disabled}>
          {action}
        </Button>
        {beside}
      </div>
    </form>
  )
}
