import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { LOOK_AGAIN_MS } from '../../polling.ts'
import { useProviderLabel } from '../../providers.ts'
import { isKnown, refresh, useApi, useWrite } from '../../queries.ts'
import { integrationsPage } from '../../record-pages.ts'
import { useAccount, useMay } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Loading } from '../../ui/infinite-list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { NotFound } from '../../ui/not-found.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'
import { useToast } from '../../ui/toast.tsx'
import { Deliveries, useDeliveries } from './deliveries.tsx'
import { IntegrationAddress } from './integration-address.tsx'
import { IntegrationHealth } from './integration-health.tsx'
import { IntegrationImport, useImports } from './integration-import.tsx'
import { IntegrationPlaces } from './integration-places.tsx'
import { IntegrationSecret } from './integration-secret.tsx'
import { IntegrationServer } from './integration-server.tsx'
import { IntegrationWriteBack } from './integration-write-back.tsx'

/** One integration: its health, its deliveries, and for owners its URL and setup guide. */
export default function Integration() {
  const { projectId = '', integrationId = '' } = useParams({ strict: false })
  const owner = useMay('lead')
  const labelOf = useProviderLabel()
  const locked = Boolean(useAccount()?.read_only)
  const all = useApi('listIntegrations', { project_id: projectId }, { every: LOOK_AGAIN_MS })
  // Loaded with the list that shows whether it exists.
  const detail = useApi('showIntegration', { project_id: projectId, id: integrationId }, { enabled: owner })
  useImports(projectId, integrationId, owner)
  useDeliveries(projectId, integrationId)
  const integration = all.data?.integrations.find(({ id }) => String(id) === integrationId)
  return (
    <Page
      title={integration ? labelOf(integration.provider) : 'Integration'}
      up={['Integrations', `/projects/${projectId}/integrations`]}
      actions={
        owner &&
        integration && (
          <>
            <Switch integration={integration} locked={locked} />
            <Delete integration={integration} locked={locked} />
          </>
        )
      }
    >
      <Loaded query={all}>
        {() =>
          integration && owner && !isKnown(detail) ? (
            <Loading />
          ) : integration ? (
            <>
              {!integration.active && <Notice kind="warn">Disabled. Deliveries from this tool are refused with 404.</Notice>}
              <IntegrationHealth integration={integration} mayTest={owner && !locked} />
              {owner ? (
                <Owned projectId={projectId} id={integrationId} locked={locked} fresh={!integration.health.last_delivery_at} />
              ) : (
                <Notice>Only owners of the project can see the webhook URL, secrets and setup guide.</Notice>
              )}
              <Deliveries projectId={projectId} integrationId={integrationId} mayReplay={owner && !locked} />
            </>
          ) : (
            <NotFound />
          )
        }
      </Loaded>
    </Page>
  )
}

/** A tool that has never called needs its guide; for a working one it is collapsed. */
function Owned({ projectId, id, locked, fresh }: { projectId: string; id: string; locked: boolean; fresh: boolean }) {
  const query = useApi('showIntegration', { project_id: projectId, id })
  return (
    <Loaded query={query}>
      {(detail) => (
        <>
          <IntegrationAddress integration={detail} locked={locked} />
          <div className="rounded-lg border border-line bg-panel p-4">
            <details open={fresh}>
              <summary className="font-semibold">Setup guide</summary>
              <div className="mt-4 min-w-0">
                <Markdown text={detail.setup} />
              </div>
            </details>
          </div>
          <IntegrationSecret integration={detail} locked={locked} />
          <IntegrationServer key={detail.id} integration={detail} locked={locked} />
          <IntegrationPlaces integration={detail} locked={locked} />
          <IntegrationWriteBack integration={detail} locked={locked} />
          <IntegrationImport integration={detail} locked={locked} />
        </>
      )}
    </Loaded>
  )
}

interface Owner {
  integration: AppReply<'listIntegrations'>['integrations'][number]
  locked: boolean
}

function Switch({ integration, locked }: Owner) {
  const { id, project_id, active } = integration
  const edit = useWrite('editIntegration', ['listIntegrations', 'showIntegration'])
  const say = useToast()
  const set = async (active: boolean) => {
    await edit.mutateAsync({ project_id, id, body: { active } })
    say(active ? 'Integration enabled' : 'Integration disabled')
  }
  if (!active)
    return (
      <Button look="main" disabled={locked} busy={edit.isPending} onClick={() => void set(true).catch(() => {})}>
        Enable
      </Button>
    )
  return (
    <Confirm label="Disable" title="Disable this integration?" action="Disable" disabled={locked} run={() => set(false)}>
      Deliveries from this tool are refused until you enable it again. Data it has already sent is kept.
    </Confirm>
  )
}

function Delete({ integration: { id, project_id, provider }, locked }: Owner) {
  const remove = useWrite('deleteIntegration')
  const client = useQueryClient()
  const labelOf = useProviderLabel()
  const navigate = useNavigate()
  const say = useToast()
  const run = async () => {
    await remove.mutateAsync({ project_id, id })
    await navigate(integrationsPage(project_id))
    await refresh(client, ['listIntegrations'])
    say(`${labelOf(provider)} deleted`)
  }
  return (
    <Confirm label="Delete" title="Delete this integration?" action="Delete it" disabled={locked} run={run}>
      Its webhook URL stops working at once and answers 404. Its delivery log and tracker issues are deleted. Changes, builds,
      assets and deployments it reported are kept. This can’t be undone.
    </Confirm>
  )
}
