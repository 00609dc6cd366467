import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { NAME_MAX, URL_MAX } from '../../../contract/limits.ts'
import { ApiError, ask, wordsOf } from '../../api.ts'
import { useFocusKept } from '../../focus.ts'
import { useTitle } from '../../title.ts'
import { buttonClass } from '../../ui/form/button.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Loading } from '../../ui/infinite-list.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ToolChoice } from '../integrations/tool-choice.tsx'
import { SignUpForm } from '../sign-in/sign-up-form.tsx'
import { FirstDelivery } from './welcome-delivery.tsx'
import { FirstProject } from './welcome-project.tsx'
import { WelcomeSteps } from './welcome-steps.tsx'

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The first visitor's progress; a reload restores it. */
type Stage =
  | { at: 'owner' }
  | { at: 'project'; accountId: number }
  | { at: 'tool'; projectId: number }
  | { at: 'delivery'; projectId: number; integrationId: number }

const TITLES = {
  owner: 'Welcome to Goldmaster',
  project: 'What are you making?',
  tool: 'Connect your first tool',
  delivery: 'Your first delivery',
}

/** The first visitor of an empty service, up to the first delivery of a tool. */
export default function Welcome() {
  const navigate = useNavigate()
  const [stage, setStage] = useState<Stage>()
  const [error, setError] = useState<string>()
  const [studio, setStudio] = useState('')
  const [setUpToken, setSetUpToken] = useState(tokenInAddress)
  const find = async () => {
    const found = await findStage().catch((failure: unknown) => {
      setError(wordsOf(failure))
      return undefined
    })
    if (found === '/sign-in' || found === '/feed') await navigate({ to: found })
    else setStage(found)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens
  useEffect(() => void find(), [])
  // Opening the printed link in an existing tab only changes the hash.
  useEffect(() => {
    const read = () => setSetUpToken(tokenInAddress())
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])
  const title = TITLES[stage?.at ?? 'owner']
  useTitle(title)
  const main = useFocusKept<HTMLElement>(stage?.at)
  return (
    <main
      ref={main}
      tabIndex={-1}
      className="mx-auto grid min-h-dvh w-full max-w-2xl content-start gap-6 px-4 py-10 outline-none"
    >
      <img src="/icon.svg" alt="" className="size-9" />
      <WelcomeSteps at={stage?.at ?? 'owner'} />
      <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
      {error && <Notice kind="err">{error}</Notice>}
      {!stage && !error && <Loading lines={3} />}
      {stage?.at === 'owner' && (
        <div className="grid max-w-sm gap-4">
          <p className="text-sm text-soft">This service is new. Create the owner account, then connect your first tool.</p>
          {setUpToken === '' ? (
            <SetUpToken onGiven={setSetUpToken} />
          ) : (
            <SignUpForm
              action="Create owner account"
              signUp={(person) =>
                ask('setUp', {
                  body: { ...person, ...(studio.trim() && { studio }), timezone: OWN_ZONE, set_up_token: setUpToken },
                })
              }
              onDone={() => void find()}
            >
              <TextField
                label="Studio"
                hint="The name of your team. You can change it later."
                autoComplete="organization"
                maxLength={NAME_MAX}
                value={studio}
                onChange={setStudio}
              />
            </SignUpForm>
          )}
        </div>
      )}
      {stage?.at === 'project' && (
        <FirstProject accountId={stage.accountId} onMade={(projectId) => setStage({ at: 'tool', projectId })} />
      )}
      {stage?.at === 'tool' && (
        <>
          <p className="text-sm text-soft">
            Select the tool your builds or changes come from. You get a webhook URL and a setup guide. You can connect more tools
            later.
          </p>
          <ToolChoice
            projectId={stage.projectId}
            onMade={(integrationId) => setStage({ at: 'delivery', projectId: stage.projectId, integrationId })}
          />
          <Link
            to="/projects/$projectId"
            params={{ projectId: String(stage.projectId) }}
            className={`${buttonClass('quiet')} w-fit`}
          >
            Later
          </Link>
        </>
      )}
      {stage?.at === 'delivery' && (
        <FirstDelivery
          projectId={stage.projectId}
          integrationId={stage.integrationId}
          onBack={() => setStage({ at: 'tool', projectId: stage.projectId })}
        />
      )}
    </main>
  )
}

/** In the hash it reaches no server and no log. */
const tokenInAddress = () => location.hash.match(/^#set-up=([\w-]+)$/)?.[1] ?? ''

/** For people who opened the plain URL instead of the link. */
function SetUpToken({ onGiven }: { onGiven(token: string): void }) {
  const [token, setToken] = useState('')
  return (
    <Form eager action="Continue" submit={async () => onGiven(token.trim().replace(/^.*#set-up=/, ''))}>
      <TextField
        label="Setup token"
        hint="Printed to the log when the service started, together with a link."
        required
        maxLength={URL_MAX}
        autoComplete="off"
        spellCheck={false}
        value={token}
        onChange={setToken}
      />
    </Form>
  )
}

async function findStage(): Promise<Stage | '/sign-in' | '/feed'> {
  const { first_run } = await ask('welcome', {})
  if (first_run) return { at: 'owner' }
  try {
    const { accounts, projects, user } = await ask('showMe', {})
    const account = accounts.find(({ id }) => id === user.default_account_id) ?? accounts[0]
    if (!account) return '/feed'
    const [project] = projects
    if (!project) return { at: 'project', accountId: account.id }
    if (project.project_role !== 'lead') return '/feed'
    const { integrations } = await ask('listIntegrations', { project_id: project.id })
    if (integrations.some(({ health }) => health.last_delivery_at)) return '/feed'
    const last = integrations.at(-1)
    return last ? { at: 'delivery', projectId: project.id, integrationId: last.id } : { at: 'tool', projectId: project.id }
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return '/sign-in'
    throw error
  }
}
