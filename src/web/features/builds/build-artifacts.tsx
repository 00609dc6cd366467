import type { AppReply } from '../../../contract/app/routes.ts'
import { sizeOf } from '../../../contract/labels/size.ts'
import { isWebAddress } from './web-address.ts'

/** An uploaded one is here, below the prefix of sessions; a link leads to the CI or wherever its report says. */
const UPLOADED = /\/api(\/v1\/projects\/\d+\/artifacts\/[0-9a-f-]{36})$/

export function BuildArtifacts({ artifacts }: { artifacts: AppReply<'showBuild'>['artifacts'] }) {
  return (
    <ul className="grid gap-1 text-sm">
      {artifacts.map(({ name, size_bytes, url }) => (
        <li key={name} className="flex justify-between gap-3">
          {UPLOADED.test(url) ? (
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
          <span className="whitespace-nowrap text-soft tabular-nums">{sizeOf(size_bytes)}</span>
        </li>
      ))}
    </ul>
  )
}
