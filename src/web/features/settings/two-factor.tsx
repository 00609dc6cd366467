import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { encode } from 'uqr'
import type { AppReply } from '../../../contract/app/routes.ts'
import { wordsOf } from '../../api.ts'
import { refresh, useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { CodeBlock } from '../../ui/text/code-block.tsx'
import { Copy } from '../../ui/text/copy.tsx'
import { countOf } from '../../ui/text/count.ts'
import { CodeField } from '../sign-in/code-field.tsx'

type Begun = AppReply<'startTwoFactor'>

/** An authenticator app, required after the password. */
export function TwoFactor({ on, recoveryCodes }: { on: boolean; recoveryCodes: number }) {
  const [begun, setBegun] = useState<Begun>()
  const [removing, setRemoving] = useState(false)
  const start = useWrite('startTwoFactor')
  return (
    <Section title="Authenticator app" actions={on ? <Pill kind="ok">On</Pill> : <Pill>Off</Pill>}>
      <p className="max-w-prose text-sm text-soft">
        {on
          ? `You sign in with your password and a code from your app. You have ${countOf(recoveryCodes, 'recovery code')} left.`
          : 'Sign in with your password and a code from an app on your phone, so that a stolen password isn’t enough.'}
      </p>
      {start.error && <Notice kind="err">{wordsOf(start.error)}</Notice>}
      <div>
        {on ? (
          <Button look="danger" onClick={() => setRemoving(true)}>
            Remove app
          </Button>
        ) : (
          <Button busy={start.isPending} onClick={() => start.mutate({}, { onSuccess: setBegun })}>
            Set up app
          </Button>
        )}
      </div>
      {begun && <SetUp begun={begun} onClose={() => setBegun(undefined)} />}
      {removing && <Remove onClose={() => setRemoving(false)} />}
    </Section>
  )
}

function SetUp({ begun, onClose }: { begun: Begun; onClose(): void }) {
  const [code, setCode] = useState('')
  const [recovery, setRecovery] = useState<string[]>()
  const confirm = useWrite('confirmTwoFactor')
  const client = useQueryClient()
  const close = () => {
    onClose()
    void refresh(client, ['showSignIn', 'showMe'])
  }
  if (recovery)
    return (
      <Dialog title="Your recovery codes" open onClose={close} firm>
        <div className="grid gap-4">
          <Notice kind="warn">
            Save these codes where you can find them without your phone. They aren’t shown again, and each works once.
          </Notice>
          <CodeBlock code={recovery.join('\n')} label="Recovery codes" />
          <div>
            <Button look="main" onClick={close}>
              I’ve saved them
            </Button>
          </div>
        </div>
      </Dialog>
    )
  const submit = async () => setRecovery((await confirm.mutateAsync({ body: { code } })).recovery_codes)
  return (
    <Dialog title="Set up an authenticator app" open onClose={onClose}>
      <Form action="Turn on" submit={submit}>
        <Picture of={begun.otpauth_url} />
        <p className="text-sm text-soft">
          Scan this with your app,{' '}
          <a href={begun.otpauth_url} className="underline">
            open it on this device
          </a>
          , or type the secret:
        </p>
        <Copy value={begun.secret} label="secret" />
        <CodeField value={code} onChange={setCode} hint="The six digits in your app." />
        <p className="text-sm text-soft">This signs you out of all other browsers.</p>
      </Form>
    </Dialog>
  )
}

/** A QR code: dark on light in either theme, or cameras do not read it. */
function Picture({ of }: { of: string }) {
  const { data, size } = encode(of, { border: 2 })
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg
      role="img"
      aria-label="QR code for your authenticator app"
      viewBox={`0 0 ${size} ${size}`}
      className="size-48 rounded bg-white"
    >
      <path d={path} className="fill-black" shapeRendering="crispEdges" />
    </svg>
  )
}

function Remove({ onClose }: { onClose(): void }) {
  const [code, setCode] = useState('')
  const remove = useWrite('removeTwoFactor', ['showSignIn', 'showMe'])
  const submit = async () => {
    await remove.mutateAsync({ body: { code } })
    onClose()
  }
  return (
    <Dialog title="Remove the authenticator app?" open onClose={onClose}>
      <Form action="Remove it" submit={submit}>
        <p className="text-sm text-soft">You then sign in with your password only. Your recovery codes are deleted.</p>
        <CodeField value={code} onChange={setCode} hint="The six digits in your app, or a recovery code." />
      </Form>
    </Dialog>
  )
}
