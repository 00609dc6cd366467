import { Link, useParams } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { choicesOf, labelOf } from '../../../contract/labels.ts'
import { ASSET_APPROVAL_STATUSES, ASSET_TYPES } from '../../../contract/sets.ts'
import { useFilters } from '../../filters.ts'
import { PAGE_ROWS, usePages } from '../../queries.ts'
import { assetPage } from '../../record-pages.ts'
import { NoRecords } from '../../ui/empty.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { InfiniteList } from '../../ui/infinite-list.tsx'
import { Page } from '../../ui/page.tsx'
import { ApprovalStatus } from '../../ui/pill.tsx'
import { PreviewPicture } from '../previews/preview-picture.tsx'
import { SavedViews } from '../views/saved-views.tsx'
import { sizeOf } from './asset-type.tsx'

export default function Assets() {
  const { projectId = '' } = useParams({ strict: false })
  const [{ asset_type, status }, filter, fieldOf] = useFilters('asset_type', 'status')
  const wanted = status === 'pending' ? { pending_approval: true } : { approval_status: status }
  const pages = usePages(
    'listAssets',
    { project_id: projectId, query: { asset_type, limit: PAGE_ROWS, previews: true, ...wanted } },
    'assets',
  )
  return (
    <Page
      title="Assets"
      actions={
        <>
          <Filter
            label="Type"
            {...fieldOf('asset_type')}
            options={[['', 'All types'], ...choicesOf('asset_type', ASSET_TYPES)]}
          />
          <Filter
            label="Approval"
            {...fieldOf('status')}
            options={[['', 'All approvals'], ...choicesOf('approval_status', ASSET_APPROVAL_STATUSES)]}
          />
          <SavedViews />
          <Link to="/projects/$projectId/approvals" params={{ projectId }} className={buttonClass()}>
            Approval queue
          </Link>
        </>
      }
    >
      <InfiniteList
        query={pages}
        empty={
          <NoRecords
            of="assets"
            filtered={asset_type !== '' || status !== ''}
            onClear={() => filter({ asset_type: '', status: '' })}
            connect="Connect version control"
          >
            Textures, models, sounds and other content files appear here when a change touches them.
          </NoRecords>
        }
      >
        <ul
          aria-label="Assets, newest first"
          className="grid grid-cols-1 gap-3 min-[30rem]:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4"
        >
          {pages.items.map((asset) => (
            <Card key={asset.id} asset={asset} projectId={projectId} />
          ))}
        </ul>
      </InfiniteList>
    </Page>
  )
}

const Card = ({ asset, projectId }: { asset: AppReply<'listAssets'>['assets'][number]; projectId: string }) => (
  <li className="min-w-0">
    <Link
      {...assetPage(projectId, asset.id)}
      className="flex h-full gap-3 rounded-lg border border-line bg-panel p-3 transition-colors hover:border-strong-line hover:bg-hover"
    >
      <PreviewPicture of={{ projectId, assetId: asset.id }} type={asset.asset_type} preview={asset.preview} className="size-20" />
      <span className="grid min-w-0 flex-1 content-start gap-1">
        <span className="truncate text-sm font-medium" title={asset.name}>
          {asset.name}
        </span>
        <span className="truncate text-xs text-soft" title={asset.path}>
          {folderOf(asset.path) || labelOf('asset_type', asset.asset_type)}
        </span>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-soft">
          {asset.approval_status !== 'none' && <ApprovalStatus value={asset.approval_status} />}
          <span>v{asset.version}</span>
          {asset.size_bytes !== null && <span>{sizeOf(asset.size_bytes)}</span>}
        </span>
      </span>
    </Link>
  </li>
)

const folderOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'), 0))
