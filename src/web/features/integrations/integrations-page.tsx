import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { LOOK_AGAIN_MS } from '../../polling.ts'
import { useProviderLabel, useProviders } from '../../providers.ts'
import { useApi } from '../../queries.ts'
import { integrationPage } from '../../record-pages.ts'
import { useLocked } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Pill, Status } from '../../ui/pill.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/text/time.tsx'
import { ToolChoice } from './tool-choice.tsx'

type Integration = AppReply<'listIntegrations'>['integrations'][number]

/** The integrations of a project with their health. */
export default function Integrations() {
  const { projectId = '' } = useParams({ strict: false })
  const [choosing, setChoosing] = useState(false)
  const mayChange = useLocked('lead') === undefined
  const navigate = useNavigate()
  const query = useApi('listIntegrations', { project_id: projectId }, { every: LOOK_AGAIN_MS })
  // For the listed and the available ones.
  useProviders()
  const open = (id: number) => void navigate(integrationPage(projectId, id))
  return (
    <Page
      title="Integrations"
      actions={
        mayChange && (
          <Button look="main" onClick={() => setChoosing(true)}>
            <Icon name="plus" /> Connect tool
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ integrations }) =>
          integrations.length > 0 ? (
            <Listed integrations={integrations} projectId={projectId} />
          ) : mayChange ? (
            <>
              <p className="max-w-prose text-sm text-soft">
                No tools connected yet. Select a tool to get its webhook URL and a setup guide.
              </p>
              <ToolChoice projectId={projectId} onMade={open} />
            </>
          ) : (
            <Empty title="No tools connected yet">
              Ask an owner of the project to connect version control, CI, stores or trackers.
            </Empty>
          )
        }
      </Loaded>
      <Dialog title="Connect tool" open={choosing} onClose={() => setChoosing(false)}>
        <ToolChoice projectId={projectId} onMade={open} />
      </Dialog>
    </Page>
  )
}

function Listed({ integrations, projectId }: { integrations: Integration[]; projectId: string }) {
  const providers = useProviders()
  const labelOf = useProviderLabel()
  return (
    <Table
      caption="Connected tools"
      rows={integrations}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Tool',
          cell: ({ id, provider }) => (
            <Link {...integrationPage(projectId, id)} className="font-medium hover:underline">
              {labelOf(provider)}
              {integrations.filter((other) => other.provider === provider).length > 1 && <span className="text-soft"> {id}</span>}
            </Link>
          ),
        },
        { head: 'Health', cell: (one) => <HealthPill integration={one} /> },
        {
          head: 'Credential',
          wide: true,
          cell: ({ provider, every_place, config }) => {
            const words = providers.find(({ name }) => name === provider)?.places
            return words && every_place && config.server ? <Pill kind="warn">All {words.noun}</Pill> : '–'
          },
        },
        { head: 'Last delivery', cell: ({ health }) => <Time at={health.last_delivery_at} /> },
        {
          head: 'Outcome',
          wide: true,
          cell: ({ health }) => (health.last_outcome ? <Status of="delivery_outcome" value={health.last_outcome} /> : '–'),
        },
        {
          head: 'In 24 h',
          wide: true,
          className: 'text-right',
          cell: ({ health }) => <span className="tabular-nums">{health.deliveries}</span>,
        },
        {
          head: 'Failed',
          wide: true,
          className: 'text-right tabular-nums',
          cell: ({ health }) => (health.deliveries > 0 ? `${Math.round(health.error_rate * 100)} %` : '–'),
        },
      ]}
    />
  )
}

function HealthPill({ integration: { active, health } }: { integration: Integration }) {
  if (!active) return <Pill>Disabled</Pill>
  if (!health.last_delivery_at) return <Pill kind="info">No deliveries yet</Pill>
  if (health.failing_jobs > 0) return <Pill kind="warn">Jobs failing</Pill>
  if (health.error_rate >= 0.5) return <Pill kind="err">Failing</Pill>
  return health.error_rate > 0.05 ? <Pill kind="warn">Some failed</Pill> : <Pill kind="ok">Healthy</Pill>
}
