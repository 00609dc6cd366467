import { useState } from 'react'
import type { ProjectSummary } from '../../../contract/app/shapes.ts'
import { labelOf } from '../../../contract/labels.ts'
import { NAME_MAX } from '../../../contract/limits.ts'
import { PLAIN_SCOPES, SCOPES, type Scope } from '../../../contract/sets.ts'
import { useWrite } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { Checkbox, Select, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { CodeBlock } from '../../ui/text/code-block.tsx'
import { Copy } from '../../ui/text/copy.tsx'
import { useMailing } from '../sign-in/mailing.ts'

const LIFETIMES = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'One year'],
  ['', 'Never'],
] as const

/** Lifetimes up to the maximum age that an account accepts, and the maximum itself. */
const lifetimesFor = (most: number | null) =>
  most === null
    ? LIFETIMES
    : [...LIFETIMES.filter(([days]) => days !== '' && Number(days) < most), [String(most), `${most} days (maximum)`] as const]

const READING = SCOPES.filter((scope) => scope.startsWith('read:') && scope !== 'read:members')

/** Creates a token; its value is shown only here. */
export function TokenDialog({ onClose }: { onClose(): void }) {
  const [value, setValue] = useState<string>()
  return (
    <Dialog title={value ? 'Your new token' : 'New token'} open onClose={onClose} firm={value !== undefined}>
      {value ? <Shown value={value} onClose={onClose} /> : <NewToken onMade={setValue} />}
    </Dialog>
  )
}

function NewToken({ onMade }: { onMade(value: string): void }) {
  const [name, setName, clear] = useDraft('token name', '')
  const [scopes, setScopes] = useState<Scope[]>(READING)
  const [days, setDays] = useState('90')
  const { accounts, projects } = useMe()
  // A token has no access to accounts whose second factor this session has not shown.
  const open = accounts.filter(({ blocked }) => blocked !== 'second_factor')
  const everywhere = open.length === accounts.length
  const [accountId, setAccountId] = useState(everywhere ? '' : String(open[0]?.id ?? ''))
  const [chosen, setChosen] = useState<number[]>([])
  const account = accounts.find(({ id }) => String(id) === accountId)
  const lifetimes = lifetimesFor(account?.token_days_max ?? null)
  const lifetime = lifetimes.some(([value]) => value === days) ? days : lifetimes.at(-1)![0]
  const create = useWrite('createToken', ['listTokens'])
  const submit = async () => {
    const { token } = await create.mutateAsync({
      body: {
        name,
        scopes,
        expires_in_days: lifetime ? Number(lifetime) : null,
        account_id: account?.id ?? null,
        project_ids: chosen.length > 0 ? chosen : null,
      },
    })
    setName('')
    clear()
    onMade(token)
  }
  const toggle = (scope: Scope, on: boolean) => setScopes(SCOPES.filter((one) => (one === scope ? on : scopes.includes(one))))
  return (
    <Form action="Create token" submit={submit} disabled={name.trim() === ''}>
      <TextField
        label="Name"
        hint="What you use it for."
        placeholder="Nightly report"
        required
        maxLength={NAME_MAX}
        value={name}
        onChange={setName}
      />
      <Select
        label="Account"
        hint="A token never has more access than you. Select an account to limit it."
        options={[
          ...(everywhere ? [['', 'All my accounts'] as const] : []),
          ...open.map(({ id, name }) => [String(id), name] as const),
        ]}
        value={accountId}
        onChange={(value) => {
          setAccountId(value)
          setChosen([])
        }}
      />
      {account && (
        <Projects
          projects={projects.filter(({ account_id }) => account_id === account.id)}
          chosen={chosen}
          onChange={setChosen}
        />
      )}
      <Select label="Expires" options={lifetimes} value={lifetime} onChange={setDays} />
      <fieldset className="grid gap-2">
        <legend className="mb-2 flex w-full flex-wrap items-center justify-between gap-2 text-sm font-medium">
          Scopes
          <span className="flex gap-1">
            <Button look="quiet" onClick={() => setScopes(READING)}>
              Read only
            </Button>
            <Button look="quiet" onClick={() => setScopes([...PLAIN_SCOPES])}>
              All except admin
            </Button>
          </span>
        </legend>
        {SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            label={scope}
            hint={labelOf('scope', scope)}
            disabled={scope === 'ping'}
            checked={scope === 'ping' || scopes.includes(scope)}
            onChange={(isChecked) => toggle(scope, isChecked)}
          />
        ))}
      </fieldset>
    </Form>
  )
}

interface Choice {
  projects: ProjectSummary[]
  chosen: number[]
  onChange(ids: number[]): void
}

const Projects = ({ projects, chosen, onChange }: Choice) => (
  <fieldset className="grid gap-2">
    <legend className="mb-2 text-sm font-medium">Projects</legend>
    <p className="text-xs text-soft">None selected: all projects you can see there, including new ones.</p>
    {projects.map(({ id, name }) => (
      <Checkbox
        key={id}
        label={name}
        checked={chosen.includes(id)}
        onChange={(isChecked) => onChange(isChecked ? [...chosen, id] : chosen.filter((one) => one !== id))}
      />
    ))}
  </fieldset>
)

function Shown({ value, onClose }: { value: string; onClose(): void }) {
  const mailing = useMailing()
  return (
    <div className="grid min-w-0 gap-4">
      <Notice kind="warn">Copy the token now. It isn’t shown again.</Notice>
      <Copy value={value} label="Token" />
      <div className="grid min-w-0 gap-1">
        <span className="text-sm text-soft">Try it:</span>
        <CodeBlock code={`curl -H 'Authorization: Bearer ${value}' ${location.origin}/api/v1/ping`} label="Command" />
      </div>
      {mailing && <p className="text-sm text-soft">You also get an email about the new token.</p>}
      <div>
        <Button look="main" onClick={onClose}>
          I’ve copied it
        </Button>
      </div>
    </div>
  )
}
