import type { AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Section } from '../../ui/page.tsx'
import { Copy } from '../../ui/text/copy.tsx'
import { LoopbackNotice } from './loopback-notice.tsx'

type Detail = AppReply<'showIntegration'>

/** The webhook URL for the tool. */
export function IntegrationAddress({ integration, locked }: { integration: Detail; locked: boolean }) {
  const { id, project_id, webhook_url, webhook_token, token_header } = integration
  const rotate = useWrite('rotateIntegrationToken', ['showIntegration'])
  return (
    <Section
      title="Webhook"
      actions={
        <Confirm
          label="Replace token"
          title="Replace the token?"
          action="Replace token"
          disabled={locked}
          look="quiet"
          done="Token replaced"
          run={() => rotate.mutateAsync({ project_id, id })}
        >
          The old token stops working at once. Deliveries are refused until you enter the new URL in the tool.
        </Confirm>
      }
    >
      <Labeled label="Webhook URL (includes the token)">
        <Copy value={webhook_url} label="Webhook URL" />
      </Labeled>
      <LoopbackNotice url={webhook_url} />
      {token_header !== null && (
        <Labeled label={`Token only, for tools that send the header ${token_header}`}>
          <Copy value={webhook_token} label="Token" />
        </Labeled>
      )}
    </Section>
  )
}

const Labeled = ({ label, children }: { label: string; children: React.ReactNode }) => (
  <div className="grid min-w-0 gap-1">
    <span className="text-xs text-soft">{label}</span>
    {children}
  </div>
)
