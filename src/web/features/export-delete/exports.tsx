import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { sizeOf } from '../../../contract/labels/size.ts'
import { labelOf } from '../../../contract/labels.ts'
import { PASSPHRASE } from '../../../contract/limits.ts'
import { download } from '../../api.ts'
import { LOOK_AGAIN_MS } from '../../polling.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useMay, useNames } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Failed } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Status } from '../../ui/pill.tsx'
import { Table } from '../../ui/table.tsx'
import { numberOf } from '../../ui/text/dates.ts'
import { Time } from '../../ui/text/time.tsx'

type Export = AppReply<'listExports'>['exports'][number]

/** While a file is being written. */
const SOON_MS = 3_000

interface Props {
  accountId: number
  /** A single project. */
  projectId?: number
}

/** An export file, to keep or to load elsewhere. */
export function Exports({ accountId, projectId }: Props) {
  const [passphrase, setPassphrase] = useState('')
  const [soon, setSoon] = useState(false)
  const query = useApi('listExports', { account_id: accountId }, { every: soon ? SOON_MS : LOOK_AGAIN_MS })
  const exportAccount = useWrite('exportAccount', ['listExports'])
  const exportProject = useWrite('exportProject', ['listExports'])
  const admin = useMay('admin')
  const own = (query.data?.exports ?? []).filter(({ project_id }) => project_id === (projectId ?? null))
  const running = own.some(({ status }) => status === 'waiting' || status === 'running')
  if (running !== soon) setSoon(running)
  const submit = async () => {
    const body = passphrase === '' ? {} : { passphrase }
    if (projectId === undefined) await exportAccount.mutateAsync({ account_id: accountId, body })
    else await exportProject.mutateAsync({ project_id: projectId, body })
    setPassphrase('')
  }
  return (
    <Section title="Export">
      <p className="max-w-prose text-sm text-soft">
        All data of {projectId === undefined ? 'this account' : 'this project'} in one file that any Goldmaster can import. You
        and the account’s owners can download it for a day.
        {admin
          ? ' It doesn’t contain passwords, API tokens or single sign-on settings: only the operator can export those.'
          : ' It doesn’t contain secrets, email addresses or delivery bodies.'}
      </p>
      <Form action="Export" submit={submit} done="Export started" disabled={running}>
        {admin && (
          <TextField
            label="Passphrase"
            hint={`Optional, at least ${PASSPHRASE.minLength} characters. Adds channels, outbound webhooks and the integrations’ tokens and secrets, encrypted with this passphrase. Nobody can recover it for you.`}
            type="password"
            autoComplete="new-password"
            {...PASSPHRASE}
            value={passphrase}
            onChange={setPassphrase}
          />
        )}
      </Form>
      <Loaded query={query}>{() => own.length > 0 && <Files accountId={accountId} files={own} />}</Loaded>
    </Section>
  )
}

function Files({ accountId, files }: { accountId: number; files: Export[] }) {
  const nameOf = useNames()
  return (
    <Table
      caption="Exports"
      rows={files}
      keyOf={({ id }) => id}
      columns={[
        { head: 'Started', cell: ({ created_at }) => <Time at={created_at} /> },
        { head: 'By', wide: true, cell: ({ user_id }) => nameOf(user_id) },
        { head: 'Secrets', wide: true, cell: ({ secrets }) => (secrets ? 'encrypted' : 'left out') },
        { head: 'Expires', wide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
        { head: 'File', className: 'text-right', cell: (file) => <State accountId={accountId} file={file} /> },
      ]}
    />
  )
}

function State({ accountId, file }: { accountId: number; file: Export }) {
  if (file.status === 'failed')
    return (
      <div className="grid justify-items-end gap-1">
        <Status of="export_status" value="failed" />
        <p className="max-w-prose text-xs text-soft">{file.error}</p>
      </div>
    )
  if (file.status === 'done')
    return <Download url={`/app/api/v1/accounts/${accountId}/exports/${file.id}/file`} bytes={file.bytes} />
  return (
    <span role="status" className="text-soft">
      {file.status === 'waiting' ? labelOf('export_status', file.status) : `${numberOf(file.rows)} rows so far`}
    </span>
  )
}

function Download({ url, bytes }: { url: string; bytes: number }) {
  const { mutate, isPending, error } = useMutation({ mutationFn: () => download(url) })
  return (
    <div className="grid justify-items-end gap-1">
      <Button onClick={() => mutate()} disabled={isPending}>
        Download ({sizeOf(bytes)})
      </Button>
      {error && <Failed error={error} />}
    </div>
  )
}
