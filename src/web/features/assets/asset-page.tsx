import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import type { Decision } from '../../../contract/sets.ts'
import { useApi } from '../../queries.ts'
import { changePage } from '../../record-pages.ts'
import { useLocked, useNames } from '../../session.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { Loading } from '../../ui/infinite-list.tsx'
import { Failed, Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { ApprovalStatus } from '../../ui/pill.tsx'
import { countOf } from '../../ui/text/count.ts'
import { Markdown } from '../../ui/text/markdown.tsx'
import { Time } from '../../ui/text/time.tsx'
import { withNames } from '../comments/comment-text.ts'
import { Comments } from '../comments/comments.tsx'
import { type Comment, useComments } from '../comments/queries.ts'
import { RecordHistory, useHistory } from '../history/record-history.tsx'
import { usePreviews } from '../previews/previews.ts'
import { Viewer } from '../previews/viewer.tsx'
import { AssetTypeIcon, sizeOf } from './asset-type.tsx'
import { useCheckedOut } from './checked-out.tsx'
import { Decide } from './decide.tsx'
import { useDecide } from './decisions.ts'

type Detail = AppReply<'showAsset'>

export default function Asset() {
  const { projectId = '', assetId = '' } = useParams({ strict: false })
  const { data, error, refetch } = useApi('showAsset', { project_id: projectId, asset_id: assetId })
  const commented = { subject: 'asset', projectId, id: assetId } as const
  useComments(commented)
  usePreviews({ projectId, assetId })
  useHistory(commented)
  const up = ['Assets', `/projects/${projectId}/assets`] as const
  if (!data)
    return (
      <Page title="Asset" up={up}>
        {error ? <Failed error={error} retry={() => void refetch()} /> : <Loading />}
      </Page>
    )
  return (
    <Page title={data.name} up={up} actions={data.approval_status !== 'none' && <ApprovalStatus value={data.approval_status} />}>
      {error && <Failed error={error} retry={() => void refetch()} />}
      <Facts projectId={projectId} asset={data} />
      <Viewer key={data.id} projectId={projectId} assetId={assetId} asset={data} />
      <div className="grid gap-4 lg:grid-cols-[1fr_20rem] lg:items-start">
        <History projectId={projectId} asset={data} />
        <Deciding key={data.id} projectId={projectId} asset={data} />
      </div>
      <RecordHistory {...commented} />
      <Comments {...commented} />
    </Page>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="grid content-start gap-0.5">
    <dt className="text-xs text-soft">{name}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </div>
)

function Facts({ projectId, asset }: { projectId: string; asset: Detail }) {
  const checkedOut = useCheckedOut(projectId, asset.id, asset.can_list_checkouts)
  return (
    <div className="flex flex-wrap gap-4 rounded-lg border border-line bg-panel p-4">
      <span className="grid size-14 place-items-center rounded-md bg-canvas text-soft">
        <AssetTypeIcon type={asset.asset_type} className="size-7" />
      </span>
      <dl className="grid min-w-0 flex-1 basis-64 grid-cols-2 gap-3 text-sm sm:grid-cols-3 lg:grid-cols-5">
        <Fact name="Type">{asset.asset_type}</Fact>
        <Fact name="Version">{asset.version}</Fact>
        <Fact name="Size">{sizeOf(asset.size_bytes) || 'Unknown'}</Fact>
        <Fact name="Changed">
          <Time at={asset.changed_at ?? asset.created_at} both />
        </Fact>
        <Fact name="Last change">
          {asset.last_change_id === null ? (
            'Unknown'
          ) : (
            <Link {...changePage(projectId, asset.last_change_id)} className="underline">
              Show changes
            </Link>
          )}
        </Fact>
        <div className="col-span-full grid gap-0.5">
          <dt className="text-xs text-soft">Path</dt>
          <dd className="break-all font-mono text-xs">{asset.path}</dd>
        </div>
        {checkedOut && (
          <div className="col-span-full grid gap-0.5">
            <dt className="text-xs text-soft">Checked out by</dt>
            <dd className="wrap-anywhere">{checkedOut}</dd>
          </div>
        )}
      </dl>
    </div>
  )
}

function History({ projectId, asset }: { projectId: string; asset: Detail }) {
  const nameOf = useNames()
  const { data } = useComments({ subject: 'asset', projectId, id: asset.id })
  const written = data?.comments.filter(({ deleted_at }) => deleted_at === null).toReversed() ?? []
  return (
    <Section title="Approvals">
      {asset.approvals_history.length === 0 ? (
        <p className="text-sm text-soft">No approval was requested for this asset. You can still decide.</p>
      ) : (
        <ol aria-label="Approvals, newest first" className="grid gap-3">
          {asset.approvals_history.map(({ id, status, approver_user_id, comments, decided_at, asset_version }) => (
            <li key={id} className="grid gap-1 border-l-2 border-line pl-3 text-sm">
              <p className="flex flex-wrap items-center gap-2">
                <ApprovalStatus value={status} />
                <span>version {asset_version}</span>
                {status === 'pending' ? (
                  <span className="text-soft">not decided yet</span>
                ) : (
                  <span>
                    by {nameOf(approver_user_id)}, <Time at={decided_at} />
                  </span>
                )}
              </p>
              {comments && <p className="whitespace-pre-wrap break-words text-soft">{comments}</p>}
              <Said
                projectId={projectId}
                version={asset_version}
                comments={written.filter((comment) => comment.asset_version === asset_version)}
              />
            </li>
          ))}
        </ol>
      )}
    </Section>
  )
}

/** What people wrote about the version that was to be decided. */
function Said({ projectId, version, comments }: { projectId: string; version: number; comments: readonly Comment[] }) {
  const nameOf = useNames()
  if (comments.length === 0) return null
  return (
    <details>
      <summary className="text-soft">
        {countOf(comments.length, 'comment')} on version {version}
      </summary>
      <ul className="mt-2 grid gap-2">
        {comments.map(({ id, user_id, created_at, body, point }) => (
          <li key={id} className="grid gap-0.5">
            <span className="text-xs text-soft">
              {user_id === null ? 'Former member' : nameOf(user_id)}, <Time at={created_at} />
              {point && ', on a point'}
            </span>
            <Markdown text={withNames(body ?? '', nameOf)} projectId={projectId} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function Deciding({ projectId, asset }: { projectId: string; asset: Detail }) {
  const decide = useDecide(projectId, { waited: asset.approval_status === 'pending' })
  const readOnly = useLocked('approver') !== undefined
  const [busy, setBusy] = useState(false)
  const [comment, setComment, clear] = useDraft(`approval ${asset.id}`, '')
  const onDecide = async (status: Decision) => {
    setBusy(true)
    if (await decide({ assets: [{ id: asset.id, version: asset.version }] }, asset.name, status, comment)) {
      clear()
      setComment('')
    }
    setBusy(false)
  }
  return (
    <Section title={asset.approval_status === 'pending' ? 'Decide' : 'Decide again'}>
      {readOnly ? (
        <Notice>This account is read-only. You can’t decide.</Notice>
      ) : (
        <Decide name={asset.name} comment={comment} setComment={setComment} onDecide={onDecide} disabled={busy} />
      )}
    </Section>
  )
}
