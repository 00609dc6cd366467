import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { wordsOf } from '../../api.ts'
import { useWrite } from '../../queries.ts'
import { DefinitionList } from '../../ui/definition-list.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Status } from '../../ui/pill.tsx'
import { countOf } from '../../ui/text/count.ts'
import { Time } from '../../ui/text/time.tsx'

type Integration = AppReply<'listIntegrations'>['integrations'][number]

/** Whether deliveries arrive and are understood. */
export const IntegrationHealth = ({ integration, mayTest }: { integration: Integration; mayTest: boolean }) => {
  const { health, project_id, id } = integration
  return (
    <Section title="Health">
      <DefinitionList
        items={[
          ['Last delivery', <Time key="last" at={health.last_delivery_at} />],
          [
            'Last outcome',
            health.last_outcome ? <Status key="outcome" of="delivery_outcome" value={health.last_outcome} /> : '–',
          ],
          ['Deliveries in 24 hours', health.deliveries],
          ['Error rate', `${(health.error_rate * 100).toFixed(health.error_rate > 0 ? 1 : 0)} % (${health.failed} failed)`],
        ]}
      />
      {health.failing_jobs > 0 && (
        <Notice kind="warn">
          {countOf(health.failing_jobs, 'follow-up job')} failed and {health.failing_jobs === 1 ? 'is' : 'are'} retried, for
          example because the tool’s server can’t be reached.
        </Notice>
      )}
      {mayTest && <TestDelivery projectId={project_id} id={id} />}
    </Section>
  )
}

/** Sends ourselves a sample delivery: tests everything but the tool itself. */
export function TestDelivery({ projectId, id }: { projectId: number; id: number }) {
  const test = useWrite('testIntegration', ['listDeliveries', 'listIntegrations', 'showIntegration'])
  const [notice, setNotice] = useState<string>()
  const run = async () => {
    setNotice(undefined)
    const answer = await test.mutateAsync({ project_id: projectId, id }).catch(() => undefined)
    if (answer) setNotice(`Test delivery: ${answer.status}. ${answer.note ?? ''}`)
  }
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={run} busy={test.isPending}>
          Send test delivery
        </Button>
        <span className="text-xs text-soft">
          Sends a sample of this tool’s data to this webhook. Records it creates are removed again.
        </span>
      </div>
      {notice && <Notice kind="ok">{notice}</Notice>}
      {test.error && <Notice kind="err">{wordsOf(test.error)}</Notice>}
    </div>
  )
}
