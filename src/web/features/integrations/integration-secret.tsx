import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { SIGNING_SECRET_MAX, SIGNING_SECRETS_MAX } from '../../../contract/limits.ts'
import { useProviders } from '../../providers.ts'
import { useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { Checkbox, TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Copy } from '../../ui/text/copy.tsx'
import { useReport, useToast } from '../../ui/toast.tsx'

/** Signing secrets. They are stored encrypted and never shown again. */
export function IntegrationSecret({ integration, locked }: { integration: AppReply<'showIntegration'>; locked: boolean }) {
  const { id, project_id, provider, secrets, requires_signature, health } = integration
  const tool = useProviders().find(({ name }) => name === provider)
  const [text, setText, clear] = useDraft(`signing secret ${id}`, '')
  const [made, setMade] = useState<string>()
  // A tool that sent unsigned deliveries would suddenly be refused, so a person decides.
  const [only, setOnly] = useState(health.last_delivery_at === null)
  const edit = useWrite('editIntegration', ['showIntegration', 'listIntegrations'])
  const say = useToast()
  const report = useReport()
  const save = async () => {
    const signing_secrets = text.split('\n').flatMap((line) => line.trim() || [])
    await edit.mutateAsync({
      project_id,
      id,
      body: { signing_secrets, ...(secrets === 0 && !requires_signature && { requires_signature: only }) },
    })
    setText('')
    clear()
    setMade(undefined)
    say('Signing secret saved')
  }
  const allow = () =>
    void report(edit.mutateAsync({ project_id, id, body: { ask_handshake: true } }), 'A new secret is accepted for one hour')
  const generate = () => {
    const secret = [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    setMade(secret)
    setText(secret)
  }
  if (tool?.signing === 'handed_over')
    return (
      <Section title="Signing secret" actions={<SecretPill secrets={secrets} />}>
        <p className="text-sm text-soft">
          {tool.label} sends its own secret for each webhook, so there is nothing to enter. It is accepted during the first hour
          after you create the integration, and later when you allow it here.
        </p>
        <div>
          <Button disabled={locked} busy={edit.isPending} onClick={allow}>
            Allow a new secret
          </Button>
        </div>
      </Section>
    )
  return (
    <Section title="Signing secret" actions={<SecretPill secrets={secrets} />}>
      {secrets === 0 && tool?.signing === 'required' && (
        <Notice kind="warn">Deliveries from this tool are refused until you save its secret here.</Notice>
      )}
      <Form
        action={secrets > 0 ? 'Replace' : 'Save'}
        submit={save}
        disabled={locked || text.trim() === ''}
        beside={
          <Button onClick={generate} disabled={locked}>
            Generate secret
          </Button>
        }
      >
        <TextArea
          label="New secret"
          hint="The secret you set in the tool. To rotate it, enter the old and the new one, one per line: both are accepted."
          rows={2}
          value={text}
          maxLength={SIGNING_SECRETS_MAX * (SIGNING_SECRET_MAX + '\n'.length)}
          spellCheck={false}
          autoComplete="off"
          disabled={locked}
          className="font-mono"
          onChange={setText}
        />
        {secrets === 0 && !requires_signature && (tool?.unsigned_paths.length ?? 0) > 0 && (
          <Checkbox
            label="Only signed deliveries"
            hint={only ? SIGNED_HINT : unsignedHint(tool?.unsigned_paths ?? [])}
            checked={only}
            disabled={locked}
            onChange={setOnly}
          />
        )}
        {made && text.includes(made) && (
          <div className="grid gap-1">
            <span className="text-xs text-soft">Copy it into the tool before you save. It isn’t shown again.</span>
            <Copy value={made} label="Secret" />
          </div>
        )}
      </Form>
      <OnlySigned integration={integration} paths={tool?.unsigned_paths ?? []} locked={locked} />
      {secrets > 0 && (
        <div>
          <Confirm
            label="Remove the secret"
            title="Accept unsigned deliveries?"
            action="Remove the secret"
            look="quiet"
            disabled={locked}
            done="Signing secret removed"
            run={() => edit.mutateAsync({ project_id, id, body: { signing_secrets: [], requires_signature: false } })}
          >
            Anyone who knows the webhook token can then send deliveries.
          </Confirm>
        </div>
      )}
    </Section>
  )
}

interface OnlySignedProps {
  integration: AppReply<'showIntegration'>
  /** The paths that accept the token alone while the switch is off. */
  paths: readonly string[]
  locked: boolean
}

const SIGNED_HINT =
  'Deliveries without a valid signature are refused on every path. goldmaster run, scripts and bridges sign with the secret in GOLDMASTER_WEBHOOK_SECRET.'

const unsignedHint = (paths: readonly string[]) =>
  `These paths accept unsigned deliveries with the webhook token alone: ${paths.map((path) => `/webhooks/${path}`).join(', ')}`

/** Tools that always have to sign with a secret need no switch. */
function OnlySigned({ integration: { id, project_id, secrets, requires_signature }, paths, locked }: OnlySignedProps) {
  const edit = useWrite('editIntegration', ['showIntegration', 'listIntegrations'])
  const report = useReport()
  const set = (requires_signature: boolean) =>
    void report(
      edit.mutateAsync({ project_id, id, body: { requires_signature } }),
      requires_signature ? 'Only signed deliveries are accepted' : 'Unsigned deliveries are accepted',
    )
  if (secrets === 0 && requires_signature)
    return (
      <Notice kind="warn">
        Only signed deliveries are accepted, but no secret is saved. Every delivery is refused until you save one.
      </Notice>
    )
  if (secrets === 0 || paths.length === 0) return null
  return (
    <Checkbox
      label="Only signed deliveries"
      hint={requires_signature ? SIGNED_HINT : unsignedHint(paths)}
      checked={requires_signature}
      disabled={locked || edit.isPending}
      onChange={set}
    />
  )
}

const SecretPill = ({ secrets }: { secrets: number }) =>
  secrets === 0 ? <Pill>Not set</Pill> : <Pill kind="ok">{secrets === 1 ? 'Set' : `${secrets} set`}</Pill>
