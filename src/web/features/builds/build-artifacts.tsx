import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { sizeOf } from '../../../contract/labels/size.ts'
import { useApi, usePages } from '../../queries.ts'
import { useLocked } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { ShareDialog } from './share-dialog.tsx'
import { ShareLinks } from './share-links.tsx'
import { isWebAddress } from './web-address.ts'

type Artifact = AppReply<'listBuildArtifacts'>['artifacts'][number]

interface Props {
  projectId: string
  buildId: string
}

/** Uploaded artifacts first, then those that the build only reported, page by page. */
export function BuildArtifacts({ projectId, buildId }: Props) {
  const [shared, setShared] = useState<{ id: string; name: string }>()
  const isLocked = useLocked('contributor') !== undefined
  const place = { project_id: projectId, build_run_id: buildId }
  const { items, hasNextPage, isFetchingNextPage, fetchNextPage } = usePages('listBuildArtifacts', place, 'artifacts')
  const { data } = useApi('listShareLinks', place, { enabled: items.some(({ id }) => id !== null) })
  return (
    <div className="grid grid-cols-1 gap-3">
      <ul aria-label="Artifacts" className="grid grid-cols-1 gap-1 text-sm">
        {items.map((artifact) => (
          <li
            key={artifact.id ?? artifact.position}
            className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 sm:flex-nowrap"
          >
            <Name artifact={artifact} />
            <span className="ml-auto flex shrink-0 items-center gap-3">
              {artifact.sha256 && (
                <code className="text-xs text-soft" title={`SHA-256 ${artifact.sha256}`}>
                  {artifact.sha256.slice(0, 12)}
                </code>
              )}
              <span className="whitespace-nowrap text-soft tabular-nums">{sizeOf(artifact.size_bytes)}</span>
              {artifact.id && !isLocked && (
                <Button
                  onClick={() => setShared({ id: artifact.id!, name: artifact.name })}
                  aria-label={`Share ${artifact.name}`}
                >
                  Share
                </Button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <div>
          <Button look="quiet" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more artifacts
          </Button>
        </div>
      )}
      {data && data.share_links.length > 0 && <ShareLinks projectId={projectId} links={data.share_links} locked={isLocked} />}
      {shared && <ShareDialog projectId={projectId} buildId={buildId} artifact={shared} onClose={() => setShared(undefined)} />}
    </div>
  )
}

/** An uploaded one is here, below the prefix of sessions; a link leads to the CI or wherever its report says. */
function Name({ artifact: { id, name, url } }: { artifact: Artifact }) {
  const look = 'min-w-0 break-all'
  if (id)
    return (
      <a href={url.replace(/^.*\/api\//, '/app/api/')} download className={`${look} underline`}>
        {name}
      </a>
    )
  return isWebAddress(url) ? (
    <a href={url} rel="noreferrer" target="_blank" className={`${look} underline`}>
      {name}
    </a>
  ) : (
    <span className={look}>{name}</span>
  )
}
