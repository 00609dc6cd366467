import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'

interface Props {
  /** The label of the button on the page. */
  label: string
  title: string
  /** The label of the button in the dialog. */
  action: string
  /** The consequences. */
  children: ReactNode
  run(): Promise<unknown>
  /** The toast after a success. */
  done?: string
  look?: 'plain' | 'quiet' | 'danger'
  disabled?: boolean
}

/** A button for irreversible actions: it asks first. */
export function Confirm({ label, title, action, children, run, done, look = 'danger', disabled = false }: Props) {
  const [open, setOpen] = useState(false)
  const submit = async () => {
    await run()
    setOpen(false)
  }
  return (
    <>
      <Button look={look} disabled={disabled} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog title={title} open={open} onClose={() => setOpen(false)}>
        <Form action={action} submit={submit} done={done} beside={<Button onClick={() => setOpen(false)}>Cancel</Button>}>
          <div className="text-sm text-soft">{children}</div>
        </Form>
      </Dialog>
    </>
  )
}
