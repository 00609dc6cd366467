import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { wordsOf } from '../../api.ts'
import { Notice } from '../notice.tsx'
import { useToast } from '../toast.tsx'
import { Button } from './button.tsx'

interface Props {
  /** What the button says. */
  action: string
  submit(): Promise<unknown>
  /** The toast after a success. */
  done?: string | undefined
  children: ReactNode
  beside?: ReactNode
  disabled?: boolean
  /** The page is about this form: whoever opens it can type at once. */
  eager?: boolean
}

/** Fields and one button. A failure is said above the button; what was typed stays where it is. */
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
