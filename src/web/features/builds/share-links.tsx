import type { AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'
import { useNames } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Failed } from '../../ui/notice.tsx'
import { Time } from '../../ui/text/time.tsx'

interface Props {
  projectId: string
  links: AppReply<'listShareLinks'>['share_links']
  locked: boolean
}

/** The links that are still valid. Their URLs are not stored. */
export function ShareLinks({ projectId, links, locked }: Props) {
  const nameOf = useNames()
  const revoke = useWrite('revokeShareLink', ['listShareLinks', 'listBuildHistory'])
  return (
    <div className="grid grid-cols-1 gap-2">
      <h3 className="text-sm font-medium">Share links</h3>
      {revoke.error && <Failed error={revoke.error} />}
      <ul aria-label="Share links" className="grid grid-cols-1 gap-2 text-sm">
        {links.map(({ id, artifact_name, user_id, expires_at }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 border-l-2 border-line pl-3">
            <span className="wrap-anywhere min-w-0">
              {artifact_name}
              <span className="text-soft">
                {' '}
                · shared by {nameOf(user_id)}, expires <Time at={expires_at} />
              </span>
            </span>
            {!locked && (
              <Button
                onClick={() => revoke.mutate({ project_id: projectId, id: String(id) })}
                disabled={revoke.isPending}
                aria-label={`Revoke the link to ${artifact_name}`}
              >
                Revoke
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
