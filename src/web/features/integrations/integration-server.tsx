import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { KEPT_SECRET } from '../../../contract/sets.ts'
import { useProviders } from '../../providers.ts'
import { useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { Select, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Section } from '../../ui/page.tsx'

/** The tool's server, which can be queried for what a delivery leaves out. */
export function IntegrationServer({ integration, locked }: { integration: AppReply<'showIntegration'>; locked: boolean }) {
  const { id, project_id, provider, config, every_place } = integration
  const { server: known, places } = useProviders().find(({ name }) => name === provider) ?? {}
  const stored = JSON.stringify(config)
  const [draft, setDraft, clear] = useDraft(`server ${id}`, stored)
  const edit = useWrite('editIntegration', ['showIntegration', 'listIntegrations'])
  const setPlaces = useWrite('setPlaces', ['showIntegration', 'listIntegrations'])
  const [reachesAll, setReachesAll] = useState(every_place)
  // Later it is decided under Allowed places.
  const asksForReach = places != null && !config.server
  if (!known) return null
  const values = JSON.parse(draft) as Record<string, unknown>
  // The service sends a stored secret only to the server it was entered for.
  const moved = known.fields.some(({ key, binds_secrets }) => binds_secrets && (values[key] ?? '') !== (config[key] ?? ''))
  const savedHint = moved ? 'Enter it again: the server or user changed.' : 'Saved. Enter a new one to replace it.'
  const set = (key: string, value: string) => setDraft(JSON.stringify({ ...values, [key]: value }))
  const save = async () => {
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
    // First, so that nothing is asked for with the former choice.
    if (asksForReach && reachesAll !== every_place)
      await setPlaces.mutateAsync({ project_id, id, body: { every_place: reachesAll } })
    const saved = await edit.mutateAsync({ project_id, id, body: { config: given } })
    clear()
    setDraft(JSON.stringify(saved.config))
  }
  return (
    <Section title="Server access (optional)">
      <p className="max-w-prose text-sm text-soft">{known.why}</p>
      <Form
        action="Save"
        submit={save}
        done="Server saved"
        disabled={locked || draft === stored}
        beside={draft !== stored && <Button onClick={() => setDraft(stored)}>Undo</Button>}
      >
        <div className="grid items-start gap-4 sm:grid-cols-2">
          {known.fields.map(({ key, label, hint, secret }) => (
            <TextField
              key={key}
              label={label}
              hint={secret && config[key] === KEPT_SECRET ? savedHint : hint}
              type={secret ? 'password' : 'text'}
              autoComplete={secret ? 'new-password' : 'off'}
              spellCheck={false}
              disabled={locked}
              value={values[key] === KEPT_SECRET ? '' : String(values[key] ?? '')}
              onChange={(value) => set(key, value === '' && config[key] === KEPT_SECRET ? KEPT_SECRET : value)}
            />
          ))}
        </div>
        {asksForReach && (
          <Select
            label="Use the credential for"
            hint={
              reachesAll
                ? `Reports can name the ${places.noun} of other teams too. Their logs could appear here, and leads could start their builds.`
                : `Reports name ${places.noun}, and you confirm those of this project on this page. Until then nothing of them is fetched.`
            }
            disabled={locked}
            value={reachesAll ? 'all' : 'confirmed'}
            onChange={(value) => setReachesAll(value === 'all')}
            options={[
              ['confirmed', `Only ${places.noun} in the settings or confirmed by a lead`],
              ['all', `All ${places.noun} of this server`],
            ]}
          />
        )}
      </Form>
    </Section>
  )
}
