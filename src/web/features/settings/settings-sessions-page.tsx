import { useNavigate } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { queryClient, useApi, useWrite } from '../../queries.ts'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/text/time.tsx'
import { useToast } from '../../ui/toast.tsx'

type Session = AppReply<'listSessions'>['sessions'][number]

/** The user's sessions. */
export default function SettingsSessions() {
  const query = useApi('listSessions', {})
  const endOthers = useWrite('endOtherSessions', ['listSessions'])
  return (
    <Page
      title="Sessions"
      actions={
        <Confirm
          label="Sign out everywhere else"
          title="Sign out everywhere else?"
          action="Sign out everywhere else"
          disabled={(query.data?.sessions.length ?? 0) < 2}
          done="Signed out everywhere else"
          run={() => endOthers.mutateAsync({})}
        >
          All other browsers must sign in again. API tokens stay valid.
        </Confirm>
      }
    >
      <p className="text-sm text-soft">
        Browsers where you are signed in. If you don’t recognize one, sign it out and change your password.
      </p>
      <Loaded query={query}>
        {({ sessions }) => (
          <Table
            caption="Sessions"
            rows={sessions}
            keyOf={({ id }) => id}
            columns={[
              {
                head: 'Browser',
                cell: ({ user_agent, current }) => (
                  <span className="flex flex-wrap items-center gap-2" title={user_agent ?? ''}>
                    <span className="font-medium">{browserOf(user_agent)}</span>
                    {current && <Pill kind="ok">This browser</Pill>}
                  </span>
                ),
              },
              { head: 'IP address', wide: true, cell: ({ ip_address }) => ip_address || '–' },
              { head: 'Last seen', cell: ({ updated_at }) => <Time at={updated_at} /> },
              { head: 'Signed in', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
              { head: 'Expires', wide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
              { head: 'Actions', className: 'text-right', cell: (session) => <End session={session} /> },
            ]}
          />
        )}
      </Loaded>
    </Page>
  )
}

function End({ session: { id, current, user_agent } }: { session: Session }) {
  const end = useWrite('endSession', current ? [] : ['listSessions'])
  const navigate = useNavigate()
  const say = useToast()
  const run = async () => {
    await end.mutateAsync({ id })
    if (!current) return say('Browser signed out')
    await navigate({ to: '/sign-in' })
    queryClient.clear()
  }
  return (
    <Confirm
      label="Sign out"
      title={current ? 'Sign out here?' : `Sign out ${browserOf(user_agent)}?`}
      action="Sign out"
      look="quiet"
      run={run}
    >
      {current ? 'You must sign in again in this browser.' : 'That browser must sign in again.'}
    </Confirm>
  )
}

const BROWSERS: [mark: string, name: string][] = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
]
const SYSTEMS: [mark: string, name: string][] = [
  ['Windows', 'Windows'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
]

function browserOf(agent: string | null): string {
  const find = (names: typeof BROWSERS) => names.find(([mark]) => agent?.includes(mark))?.[1]
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)]
  return browser && system ? `${browser} on ${system}` : (browser ?? agent?.slice(0, 40) ?? 'Unknown')
}
