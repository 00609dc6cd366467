import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { IMPORT_DAYS_MAX } from '../../../contract/limits.ts'
import type { ImportPart, ImportState } from '../../../contract/sets.ts'
import { LOOK_AGAIN_MS } from '../../polling.ts'
import { useProviders } from '../../providers.ts'
import { useApi, useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Pill, type PillKind } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'
import { progressOf } from './import-progress.ts'

type Import = AppReply<'listImports'>['imports'][number]
type Preview = AppReply<'previewImport'>

interface Props {
  integration: AppReply<'showIntegration'>
  locked: boolean
}

const PARTS: Record<ImportPart, string> = {
  issues: 'issues',
  changes: 'changes',
  builds: 'builds',
  deployments: 'deployments',
  releases: 'releases',
  files: 'file lists',
}
const numbered = (count: number) => count.toLocaleString('en')

/** Loaded with the page. */
export const useImports = (projectId: string, id: string, enabled = true) =>
  useApi('listImports', { project_id: projectId, id }, { every: LOOK_AGAIN_MS, enabled })

/** Reads what the tool did before it was connected; a running import is shown with its progress. */
export function IntegrationImport({ integration, locked }: Props) {
  const { id, project_id, provider, config } = integration
  const tool = useProviders().find(({ name }) => name === provider)
  const imports = useImports(String(project_id), String(id))
  const start = useWrite('startImport', ['listImports'])
  const [days, setDays] = useState('90')
  const [asked, setAsked] = useState<number>()
  const preview = useApi(
    'previewImport',
    { project_id, id, query: { days_back: asked ?? 90 } },
    { enabled: asked !== undefined, stale: 60_000 },
  )
  if (!tool?.has_history) return null
  const count = Number(days)
  const valid = Number.isInteger(count) && count >= 1 && count <= IMPORT_DAYS_MAX
  const isRunning = imports.data?.imports.some(({ state }) => state === 'running' || state === 'undoing') ?? false
  return (
    <Section title="Import history">
      <p className="max-w-prose text-sm text-soft">
        Reads what happened before {tool.label} was connected, so that suspects, trends and search include it. Nobody is notified.
      </p>
      {config.server ? (
        <Form
          action="Import"
          done="Import started"
          disabled={locked || !valid || isRunning}
          submit={async () => {
            await start.mutateAsync({ project_id, id, body: { days: count } })
            setAsked(undefined)
          }}
          beside={
            <Button disabled={locked || !valid} busy={preview.isFetching} onClick={() => setAsked(count)}>
              Preview
            </Button>
          }
        >
          <TextField
            label="Days to import"
            type="number"
            min={1}
            max={IMPORT_DAYS_MAX}
            disabled={locked}
            value={days}
            onChange={setDays}
          />
        </Form>
      ) : (
        <Notice>Enter the server and an access token under Server access first.</Notice>
      )}
      {asked !== undefined && preview.data?.days === asked && <Previewed preview={preview.data} />}
      <Loaded query={imports}>
        {({ imports }) => (
          <ul className="grid gap-3">
            {imports.map((one) => (
              <li key={one.id}>
                <Row one={one} locked={locked} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}

function Previewed({ preview: { days, parts, minutes, problem } }: { preview: Preview }) {
  if (problem !== null) return <Notice kind="err">{problem}</Notice>
  const counted = parts.flatMap(({ name, count }) => (count === null ? [] : `${numbered(count)} ${PARTS[name]}`))
  const needed = [...new Set(parts.map(({ needs }) => needs))].join(', ')
  return (
    <div className="grid gap-2">
      <Notice>
        The last {days} days: {counted.join(', ') || 'the tool does not say how much'}
        {minutes === null ? '' : `, about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`}. Needs: {needed}.
      </Notice>
      {parts.map(
        ({ name, problem }) => problem !== null && <Notice key={name} kind="err">{`${PARTS[name]}: ${problem}`}</Notice>,
      )}
    </div>
  )
}

const STATES: Record<ImportState, [string, PillKind]> = {
  running: ['Running', 'info'],
  done: ['Done', 'ok'],
  cancelled: ['Cancelled', 'neutral'],
  failed: ['Failed', 'err'],
  undoing: ['Being undone', 'info'],
  undone: ['Undone', 'neutral'],
}

function Row({ one, locked }: { one: Import; locked: boolean }) {
  const { id, project_id, state, nightly, since, until, counts, part, waits_until, message, kept } = one
  const cancel = useWrite('cancelImport', ['listImports'])
  const undo = useWrite('undoImport', ['listImports'])
  const [words, kind] = STATES[state]
  const read = Object.entries(counts).map(([name, { added }]) => `${numbered(added)} ${PARTS[name as ImportPart]}`)
  return (
    <div className="grid gap-2 rounded-lg border border-line bg-panel p-4">
      <div className="flex flex-wrap items-center gap-3">
        <Pill kind={kind}>{words}</Pill>
        <span>
          {nightly ? 'Nightly check' : 'Import'}, <Time at={since} /> to <Time at={until} />
        </span>
        <span className="text-sm text-soft">Added: {read.join(', ') || 'nothing yet'}</span>
        <span className="ml-auto flex gap-2">
          {state === 'running' && (
            <Confirm
              label="Cancel"
              title="Cancel this import?"
              action="Cancel it"
              disabled={locked}
              run={() => cancel.mutateAsync({ project_id, id })}
            >
              What it has read stays.
            </Confirm>
          )}
          {(state === 'done' || state === 'cancelled' || state === 'failed') && (
            <Confirm
              label="Undo"
              title="Undo this import?"
              action="Undo import"
              disabled={locked}
              run={() => undo.mutateAsync({ project_id, id })}
            >
              Records that only this import reported are deleted. Records that your tool has also reported are kept, and so are
              those on which people commented, decided, linked or corrected something.
            </Confirm>
          )}
        </span>
      </div>
      {state === 'running' && part !== null && <Bar one={one} part={part} />}
      {state === 'running' && waits_until !== null && (
        <p className="text-sm text-soft">
          The tool’s limit is reached. It continues at <Time at={waits_until} both />.
        </p>
      )}
      {kept > 0 && (
        <p className="text-sm text-soft">
          {numbered(kept)} {kept === 1 ? 'record was' : 'records were'} kept, because people commented, decided, linked or
          corrected something on {kept === 1 ? 'it' : 'them'}.
        </p>
      )}
      {message !== '' && <Notice kind="err">{message}</Notice>}
    </div>
  )
}

/** How much of the current part is read. */
function Bar({ one, part }: { one: Import; part: ImportPart }) {
  const { read, all } = progressOf(one, part)
  const words = `${numbered(read)}${all === undefined ? '' : ` of ${numbered(all)}`} ${PARTS[part]}`
  return (
    <div className="grid gap-1 text-sm text-soft">
      <progress className="w-full" aria-label={words} {...(all !== undefined && { max: Math.max(all, 1), value: read })} />
      {words}
    </div>
  )
}
