import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { wordsOf } from '../../api.ts'
import { useApi, useWrite } from '../../queries.ts'
import { DefinitionList } from '../../ui/definition-list.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Status } from '../../ui/pill.tsx'
import { CodeBlock } from '../../ui/text/code-block.tsx'
import { forDays } from '../../ui/text/days.ts'
import { Time } from '../../ui/text/time.tsx'

interface Props {
  projectId: string | number
  id: number
  mayReplay: boolean
  onClose(): void
}

const waitOf = ({ outcome, accepted_first, waited_milliseconds }: AppReply<'showDelivery'>) => {
  const seconds = `${(waited_milliseconds / 1000).toFixed(1)} s`
  if (!accepted_first) return seconds
  return outcome === 'accepted' ? 'Accepted, not processed yet' : `Accepted first, processed after ${seconds}`
}

/** One delivery: its content, its result, and a replay. */
export function DeliveryDialog({ projectId, id, mayReplay, onClose }: Props) {
  const query = useApi('showDelivery', { project_id: projectId, id })
  return (
    <Dialog title={`Delivery ${id}`} open onClose={onClose}>
      <Loaded query={query}>
        {(delivery) => (
          <div className="grid min-w-0 gap-4">
            <DefinitionList
              items={[
                ['Outcome', <Status key="outcome" of="delivery_outcome" value={delivery.outcome} />],
                ['Response', `${delivery.status} after ${delivery.milliseconds} ms`],
                ['Waiting time', waitOf(delivery)],
                ['Received', <Time key="time" at={delivery.received_at} />],
                ['Event', delivery.event || '–'],
              ]}
            />
            {delivery.message && <Notice kind={delivery.outcome === 'failed' ? 'err' : 'info'}>{delivery.message}</Notice>}
            {delivery.replay_of !== null && <p className="text-sm text-soft">Replay of delivery {delivery.replay_of}.</p>}
            {delivery.records.length > 0 && <Records projectId={projectId} records={delivery.records} />}
            {mayReplay && (
              <Replay
                projectId={projectId}
                id={id}
                gone={delivery.body === null || (delivery.body_cut && delivery.body_note !== null)}
              />
            )}
            <Titled title="Body">
              {delivery.body === null ? (
                <p className="text-sm text-soft">
                  {delivery.body_note ?? `This body was deleted. Delivery bodies are kept ${forDays(delivery.body_kept_days)}.`}
                </p>
              ) : (
                <CodeBlock code={pretty(delivery.body)} label="Body" tall />
              )}
              {delivery.body !== null && (delivery.body_cut || delivery.body_note !== null) && (
                <p className="text-xs text-soft">{delivery.body_note ?? 'Only the first part is shown.'}</p>
              )}
            </Titled>
            <Titled title="Headers">
              <CodeBlock
                code={Object.entries(delivery.headers)
                  .map(([name, value]) => `${name}: ${value}`)
                  .join('\n')}
                label="Headers"
                tall
              />
            </Titled>
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}

const Titled = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <section className="grid min-w-0 gap-1">
    <h3 className="text-sm font-medium">{title}</h3>
    {children}
  </section>
)

function Replay({ projectId, id, gone }: { projectId: string | number; id: number; gone: boolean }) {
  const replay = useWrite('replayDelivery', ['listDeliveries', 'listIntegrations', 'showIntegration'])
  const [notice, setNotice] = useState<string>()
  const run = async () => {
    setNotice(undefined)
    const answer = await replay.mutateAsync({ project_id: projectId, id }).catch(() => undefined)
    if (answer) setNotice(`Processed again: ${answer.status}${answer.warning ? `. ${answer.warning}` : ''}`)
  }
  return (
    <div className="grid gap-2">
      <div>
        <Button onClick={run} busy={replay.isPending} disabled={gone}>
          Replay
        </Button>
      </div>
      {notice && <Notice kind="ok">{notice}</Notice>}
      {replay.error && <Notice kind="err">{wordsOf(replay.error)}</Notice>}
    </div>
  )
}

const PLACES: Record<string, string> = {
  change: 'changes',
  build_run: 'builds',
  build: 'builds',
  task: 'tasks',
  asset: 'assets',
  deployment: 'deployments',
}

/** The records it created or changed. */
export const Records = ({
  projectId,
  records,
}: {
  projectId: string | number
  records: AppReply<'listDeliveries'>['deliveries'][number]['records']
}) => (
  <ul className="flex flex-wrap gap-x-3 gap-y-1 text-sm">
    {records.slice(0, 20).map(({ type, id }) => (
      <li key={`${type} ${id}`}>
        {PLACES[type] ? (
          <Link to={`/projects/${projectId}/${PLACES[type]}/${id}`} className="underline">
            {type.replaceAll('_', ' ')} {String(id).slice(0, 8)}
          </Link>
        ) : (
          `${type.replaceAll('_', ' ')} ${String(id).slice(0, 8)}`
        )}
      </li>
    ))}
    {records.length > 20 && <li className="text-soft">and {records.length - 20} more</li>}
  </ul>
)

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
