import { Link } from '@tanstack/react-router'
import { useFocusKept } from '../../focus.ts'
import { useEasing } from '../../polling.ts'
import { useProviderLabel } from '../../providers.ts'
import { useApi } from '../../queries.ts'
import { integrationPage } from '../../record-pages.ts'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Status } from '../../ui/pill.tsx'
import { Copy } from '../../ui/text/copy.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'
import { Time } from '../../ui/text/time.tsx'
import { Records } from '../integrations/delivery-dialog.tsx'
import { TestDelivery } from '../integrations/integration-health.tsx'
import { IntegrationSecret } from '../integrations/integration-secret.tsx'
import { LoopbackNotice } from '../integrations/loopback-notice.tsx'

interface Props {
  projectId: number
  integrationId: number
  onBack(): void
}

/** The URL, the guide, and the arrival of the first delivery. */
export function FirstDelivery({ projectId, integrationId, onBack }: Props) {
  const detail = useApi('showIntegration', { project_id: projectId, id: integrationId })
  const { data: log } = useApi(
    'listDeliveries',
    { project_id: projectId, query: { integration_id: integrationId, limit: 1 } },
    // A person who returns from the tool's page sees at once what it sent.
    { every: useEasing(), stale: 0 },
  )
  const first = log?.deliveries[0]
  const labelOf = useProviderLabel()
  const status = useFocusKept<HTMLDivElement>(first ? 'arrived' : 'awaited')
  return (
    <>
      <div ref={status} tabIndex={-1} role="status" className="grid gap-3 rounded-lg border border-line bg-panel p-4">
        {first ? (
          <>
            <p className="flex flex-wrap items-center gap-2 font-medium">
              {first.outcome === 'failed' ? 'A delivery arrived, but could not be processed' : 'First delivery received'}
              <Status of="delivery_outcome" value={first.outcome} />
            </p>
            <p className="text-sm text-soft">
              {first.event || first.path}, <Time at={first.received_at} />
              {first.message && `: ${first.message}`}
            </p>
            {first.records.length > 0 && <Records projectId={projectId} records={first.records} />}
            <div className="flex flex-wrap gap-2">
              <Link to="/feed" className={buttonClass('main')}>
                Open the feed
              </Link>
              <Link {...integrationPage(projectId, integrationId)} className={buttonClass()}>
                Show delivery
              </Link>
            </div>
          </>
        ) : (
          <p className="flex items-center gap-3 text-sm">
            <span aria-hidden="true" className="size-2.5 animate-pulse rounded-full bg-accent" />
            Listening for the first delivery. This page updates automatically.
          </p>
        )}
      </div>
      <Loaded query={detail}>
        {(integration) => (
          <>
            {!first && (
              <section aria-label="Test" className="grid gap-2">
                <TestDelivery projectId={projectId} id={integrationId} />
              </section>
            )}
            <section aria-label="Address" className="grid min-w-0 gap-1">
              <h2 className="font-semibold">Where {labelOf(integration.provider)} is to call</h2>
              <Copy value={integration.webhook_url} label="Webhook URL" />
              <LoopbackNotice url={integration.webhook_url} />
            </section>
            <section aria-label="Guide" className="min-w-0 rounded-lg border border-line bg-panel p-4">
              <Markdown text={integration.setup} />
            </section>
            <IntegrationSecret integration={integration} locked={false} />
            <div className="flex flex-wrap gap-2">
              {!first && <Button onClick={onBack}>Select another tool</Button>}
              {!first && (
                <Link to="/feed" className={buttonClass('quiet')}>
                  Later
                </Link>
              )}
            </div>
          </>
        )}
      </Loaded>
    </>
  )
}
