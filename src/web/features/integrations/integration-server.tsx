import type { AppReply } from '../../../contract/app/routes.ts'
import type { ProviderName } from '../../../contract/sets.ts'
import { useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Section } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'

interface Setting {
  key: string
  label: string
  hint?: string
  secret?: boolean
}

const KEPT = '[kept secret]'

/** Tools whose server we may ask for what a delivery leaves out. */
const SERVERS: Partial<Record<ProviderName, { why: string; settings: Setting[] }>> = {
  jenkins: {
    why: 'With a server to ask, console, artifacts and times of a build are fetched from Jenkins itself, and builds can be started.',
    settings: [
      {
        key: 'server',
        label: 'Jenkins server',
        hint: 'https://jenkins.example.com; a private address must be allowed by the operator.',
      },
      { key: 'user', label: 'User' },
      { key: 'api_token', label: 'API token', secret: true },
    ],
  },
  perforce: {
    why: 'With a server to ask, author, description and files of a changelist are fetched when the trigger sends only its number.',
    settings: [
      {
        key: 'server',
        label: 'Perforce server',
        hint: 'ssl:perforce.example.com:1666; a private address must be allowed by the operator.',
      },
      { key: 'user', label: 'User' },
      { key: 'password', label: 'Password or ticket', secret: true },
      { key: 'fingerprint', label: 'Fingerprint of the server', hint: 'For ssl: as p4 trust shows it.' },
      { key: 'charset', label: 'Character set', hint: 'utf8 on a Unicode server, else empty.' },
    ],
  },
}

export function IntegrationServer({ integration, locked }: { integration: AppReply<'showIntegration'>; locked: boolean }) {
  const { id, project_id, provider, config } = integration
  const known = SERVERS[provider]
  const stored = JSON.stringify(config)
  const [draft, setDraft, clear] = useDraft(`server ${id}`, stored)
  const edit = useWrite('editIntegration', ['showIntegration', 'listIntegrations'])
  const say = useToast()
  if (!known) return null
  const values = JSON.parse(draft) as Record<string, unknown>
  // The service sends a saved secret nowhere but where it was meant for.
  const moved = known.settings.some(
    ({ key, secret }) => !secret && key !== 'charset' && (values[key] ?? '') !== (config[key] ?? ''),
  )
  const savedHint = moved ? 'Type it again: a saved one goes with no other server or user.' : 'One is saved; type to replace it.'
  const set = (key: string, value: string) => setDraft(JSON.stringify({ ...values, [key]: value }))
  const save = async () => {
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
    const saved = await edit.mutateAsync({ project_id, id, body: { config: given } })
    clear()
    setDraft(JSON.stringify(saved.config))
    say('Server saved')
  }
  return (
    <Section title="Server to ask">
      <p className="max-w-prose text-sm text-soft">{known.why} It is optional.</p>
      <Form
        action="Save"
        submit={save}
        disabled={locked || draft === stored}
        beside={draft !== stored && <Button onClick={() => setDraft(stored)}>Undo</Button>}
      >
        <div className="grid items-start gap-4 sm:grid-cols-2">
          {known.settings.map(({ key, label, hint, secret }) => (
            <TextField
              key={key}
              label={label}
              hint={secret && config[key] === KEPT ? savedHint : hint}
              type={secret ? 'password' : 'text'}
              autoComplete={secret ? 'new-password' : 'off'}
              spellCheck={false}
              disabled={locked}
              value={values[key] === KEPT ? '' : String(values[key] ?? '')}
              onChange={(event) => set(key, event.target.value === '' && config[key] === KEPT ? KEPT : event.target.value)}
            />
          ))}
        </div>
      </Form>
    </Section>
  )
}
