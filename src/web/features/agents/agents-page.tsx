import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { suspicionWords } from '../../../contract/labels/agent-words.ts'
import { sizeOf } from '../../../contract/labels/size.ts'
import { useApi, useWrite } from '../../queries.ts'
import { buildPage } from '../../record-pages.ts'
import { useMay, useNames } from '../../session.ts'
import { NoRecords } from '../../ui/empty.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { spanOf, Time } from '../../ui/text/time.tsx'
import { useReport } from '../../ui/toast.tsx'
import { MuteDialog } from './mute-dialog.tsx'

type Agent = AppReply<'listAgents'>['agents'][number]

/** The machines that build: how often they fail compared with others, and which of them are muted. */
export default function Agents() {
  const { projectId = '' } = useParams({ strict: false })
  const query = useApi('listAgents', { project_id: projectId })
  const [muting, setMuting] = useState<string>()
  const canMute = useMay('contributor')
  const edit = useWrite('muteAgent', ['listAgents'])
  const report = useReport()
  const unmute = (agent: string) =>
    void report(edit.mutateAsync({ project_id: projectId, body: { agent, muted: false } }), `${agent} unmuted`)
  return (
    <Page title="Agents">
      <Loaded query={query}>
        {({ agents, compared_since }) =>
          agents.length === 0 ? (
            <NoRecords of="agents" filtered={false} onClear={() => {}} connect="Connect your CI">
              Report the machine of each build as “agent” (goldmaster run --agent). You see here which machines fail more often
              than others.
            </NoRecords>
          ) : (
            <>
              {agents
                .filter(({ suspicious, compared }) => suspicious && compared)
                .map(({ name, compared }) => (
                  <Notice key={name} kind="warn">
                    {suspicionWords(name, compared!)} Check the machine, and mute it until it is repaired.
                  </Notice>
                ))}
              <p className="text-sm text-soft">
                {compared_since === null ? (
                  'Builds of the last 30 days.'
                ) : (
                  <>
                    Builds since <Time at={compared_since} both />: older ones are not checked.
                  </>
                )}{' '}
                An agent is compared with the others on the same jobs and branches; failures of a branch that was already broken
                don’t count.
              </p>
              <Table
                caption="Agents, suspicious ones first"
                rows={agents}
                keyOf={({ name }) => name}
                columns={columnsOf(projectId, canMute, setMuting, unmute)}
              />
            </>
          )
        }
      </Loaded>
      {muting !== undefined && <MuteDialog projectId={projectId} agent={muting} onClose={() => setMuting(undefined)} />}
    </Page>
  )
}

const percent = (share: number) => `${Math.round(100 * share)} %`

const columnsOf = (
  projectId: string,
  canMute: boolean,
  mute: (agent: string) => void,
  unmute: (agent: string) => void,
): Column<Agent>[] => [
  {
    head: 'Agent',
    className: 'w-full',
    cell: (agent) => (
      <>
        <Link
          to="/projects/$projectId/builds"
          params={{ projectId }}
          search={{ agent: agent.name } as never}
          className="wrap-anywhere font-medium hover:underline"
        >
          {agent.name}
        </Link>
        {agent.suspicious && (
          <>
            {' '}
            <Pill kind="warn">Suspicious</Pill>
          </>
        )}
        <MutedLine muted={agent.muted} />
      </>
    ),
  },
  {
    head: 'Failures',
    className: 'whitespace-nowrap tabular-nums',
    cell: ({ builds, failures }) => `${failures} of ${builds}`,
  },
  {
    head: 'Compared',
    wide: true,
    className: 'whitespace-nowrap tabular-nums',
    cell: ({ compared, suspicious }) =>
      compared ? (
        <span className={suspicious ? 'font-medium text-err' : 'text-soft'}>
          {percent(compared.failures / compared.builds)}, others {percent(compared.expected_rate)}
        </span>
      ) : (
        <span className="text-soft">no other agent</span>
      ),
  },
  { head: 'Queue', wide: true, className: 'whitespace-nowrap', cell: ({ queue_seconds }) => spanOf(queue_seconds) },
  { head: 'Sync', wide: true, className: 'whitespace-nowrap', cell: ({ sync_seconds }) => spanOf(sync_seconds) },
  {
    head: 'Free disk',
    wide: true,
    className: 'whitespace-nowrap',
    cell: ({ disk_free_bytes }) => (disk_free_bytes === null ? '–' : sizeOf(disk_free_bytes)),
  },
  {
    head: 'Last build',
    wide: true,
    className: 'whitespace-nowrap',
    cell: ({ last_build_run_id, last_built_at }) => (
      <Link {...buildPage(projectId, last_build_run_id)} className="hover:underline">
        <Time at={last_built_at} />
      </Link>
    ),
  },
  ...(canMute
    ? [
        {
          head: 'Messages',
          cell: ({ name, muted }: Agent) =>
            muted ? <Button onClick={() => unmute(name)}>Unmute</Button> : <Button onClick={() => mute(name)}>Mute</Button>,
        },
      ]
    : []),
]

function MutedLine({ muted }: Pick<Agent, 'muted'>) {
  const nameOf = useNames()
  if (!muted) return null
  return (
    <span className="block wrap-anywhere text-xs text-soft">
      Muted by {muted.user_id === null ? 'a former member' : nameOf(muted.user_id)}
      {muted.muted_until && (
        <>
          {' '}
          until <Time at={muted.muted_until} />
        </>
      )}
      : {muted.reason}
    </span>
  )
}
