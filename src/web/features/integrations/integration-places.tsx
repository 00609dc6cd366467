import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { useProviders } from '../../providers.ts'
import { useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'

interface Decision {
  every_place?: boolean
  confirm?: string[]
  remove?: string[]
}

/** The jobs, projects or streams that the stored credential is used for. */
export function IntegrationPlaces({ integration, locked }: { integration: AppReply<'showIntegration'>; locked: boolean }) {
  const { id, project_id, provider, config, places, every_place } = integration
  const words = useProviders().find(({ name }) => name === provider)?.places
  const edit = useWrite('setPlaces', ['showIntegration', 'listIntegrations'])
  const [name, setName] = useState('')
  const say = useToast()
  if (!places || !words || !config.server) return null
  const set = (body: Decision) => edit.mutateAsync({ project_id, id, body })
  const now = (body: Decision, done: string) =>
    void set(body).then(
      () => say(done),
      () => {},
    )
  const add = async () => {
    await set({ confirm: [name] })
    setName('')
  }
  const signed = places.waiting.some((one) => one.signed)
  return (
    <Section title={`Allowed ${words.noun}`}>
      <p className="max-w-prose text-sm text-soft">
        Everyone who has the webhook token can name any of the {words.noun} of your server. The saved credential is used only for
        those in this list.
      </p>
      {every_place ? (
        <>
          <Notice kind="warn">
            The saved credential is used for all {words.noun} of the server that a report names. Logs of other teams could appear
            here, and their builds could be started. Confirm your {words.noun} below, then limit the credential to them.
          </Notice>
          <div>
            <Button disabled={locked} onClick={() => now({ every_place: false }, `Limited to these ${words.noun}`)}>
              Limit to these {words.noun}
            </Button>
          </div>
        </>
      ) : (
        <div>
          <Button disabled={locked} onClick={() => now({ every_place: true }, `All ${words.noun} allowed`)}>
            Allow all {words.noun} of this server
          </Button>
        </div>
      )}
      {places.named.length + places.confirmed.length > 0 && (
        <ul aria-label={`Allowed ${words.noun}`} className="grid gap-1 text-sm">
          {places.named.map((place) => (
            <li key={`settings ${place}`}>
              <span className="font-mono">{place}</span> <span className="text-soft">from the settings</span>
            </li>
          ))}
          {places.confirmed.map((place) => (
            <li key={place} className="flex flex-wrap items-center gap-3">
              <span className="font-mono">{place}</span>
              <Button disabled={locked} aria-label={`Remove ${place}`} onClick={() => now({ remove: [place] }, 'Removed')}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      {places.waiting.length > 0 && (
        <>
          <h3 className="text-sm font-medium">Waiting for confirmation</h3>
          <p className="max-w-prose text-sm text-soft">
            Reports named these {words.noun}
            {every_place ? '' : ', and the server was not asked about them'}. Confirm only what belongs to this project.
            {signed && ' Signed: a report with a valid signature named it.'}
          </p>
          <ul aria-label={`Waiting ${words.noun}`} className="grid gap-1 text-sm">
            {places.waiting.map(({ place, signed }) => (
              <li key={place} className="flex flex-wrap items-center gap-3">
                <span className="font-mono">{place}</span>
                {signed && <span className="text-soft">signed</span>}
                <Button disabled={locked} aria-label={`Confirm ${place}`} onClick={() => now({ confirm: [place] }, 'Confirmed')}>
                  Confirm
                </Button>
                <Button disabled={locked} aria-label={`Dismiss ${place}`} onClick={() => now({ remove: [place] }, 'Dismissed')}>
                  Dismiss
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
      <Form action="Add" done="Confirmed" submit={add} disabled={locked || name.trim() === ''}>
        <TextField
          label={`Add to the allowed ${words.noun}`}
          hint={words.example}
          spellCheck={false}
          disabled={locked}
          value={name}
          onChange={setName}
        />
      </Form>
    </Section>
  )
}
