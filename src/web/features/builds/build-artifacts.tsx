import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { sizeOf } from '../../../contract/labels/size.ts'
import { useApi } from '../../queries.ts'
import { useLocked } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { ShareDialog } from './share-dialog.tsx'
import { ShareLinks } from './share-links.tsx'
import { isWebAddress } from './web-address.ts'

/** An uploaded one is here, below the prefix of sessions; a link leads to the CI or wherever its report says. */
const UPLOADED = /\/api(\/v1\/projects\/\d+\/artifacts\/([0-9a-f-]{36}))$/

interface Props {
  projectId: string
  build: AppReply<'showBuild'>
}

export function BuildArtifacts({ projectId, build }: Props) {
  const [shared, setShared] = useState<{ id: string; name: string }>()
  const isLocked = useLocked('contributor') !== undefined
  const hasUploads = build.artifacts.some(({ url }) => UPLOADED.test(url))
  const { data } = useApi('listShareLinks', { project_id: projectId, build_run_id: build.id }, { enabled: hasUploads })
  return (
    <div className="grid grid-cols-1 gap-3">
      <ul className="grid grid-cols-1 gap-1 text-sm">
        {build.artifacts.map(({ name, size_bytes, url }) => {
          const id = UPLOADED.exec(url)?.[2]
          return (
            <li key={name} className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 sm:flex-nowrap">
              {id ? (
                <a href={url.replace(/^.*\/api\//, '/app/api/')} download className="min-w-0 break-all underline">
                  {name}
                </a>
              ) : isWebAddress(url) ? (
                <a href={url} rel="noreferrer" target="_blank" className="min-w-0 break-all underline">
                  {name}
                </a>
              ) : (
                <span className="min-w-0 break-all">{name}</span>
              )}
              <span className="ml-auto flex shrink-0 items-center gap-3">
                <span className="whitespace-nowrap text-soft tabular-nums">{sizeOf(size_bytes)}</span>
                {id && !isLocked && (
                  <Button onClick={() => setShared({ id, name })} aria-label={`Share ${name}`}>
                    Share
                  </Button>
                )}
              </span>
            </li>
          )
        })}
      </ul>
      {data && data.share_links.length > 0 && <ShareLinks projectId={projectId} links={data.share_links} locked={isLocked} />}
      {shared && <ShareDialog projectId={projectId} buildId={build.id} artifact={shared} onClose={() => setShared(undefined)} />}
    </div>
  )
}
