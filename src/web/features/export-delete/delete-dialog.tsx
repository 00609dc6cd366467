import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'

interface Props {
  /** The label of the button, and of the one in the dialog. */
  action: string
  title: string
  /** The name to type for confirmation. */
  name: string
  label: string
  children: ReactNode
  run(typed: string): Promise<unknown>
}

/** For irreversible actions: the name has to be typed. */
export function DeleteDialog({ action, title, name, label, children, run }: Props) {
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const same = typed.trim().toLowerCase() === name.trim().toLowerCase()
  const close = () => {
    setOpen(false)
    setTyped('')
  }
  return (
    <div>
      <Button look="danger" onClick={() => setOpen(true)}>
        {action}
      </Button>
      <Dialog title={title} open={open} onClose={close}>
        <Form
          action={action}
          submit={() => run(typed).then(close)}
          disabled={!same}
          beside={<Button onClick={close}>Cancel</Button>}
        >
          <div className="grid gap-2 text-sm text-soft">{children}</div>
          <TextField
            label={label}
            hint={
              <>
                Type <strong className="break-all">{name}</strong> to confirm.
              </>
            }
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={setTyped}
          />
        </Form>
      </Dialog>
    </div>
  )
}
