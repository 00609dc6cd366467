import { Link } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { changePage } from '../../record-pages.ts'
import { countOf } from '../../ui/text/count.ts'

interface Props {
  projectId: number
  preview: AppReply<'previewApprovalRules'>
}

/** What all rules of the project, including the edited one, would have matched. */
export const ApprovalPreview = ({
  projectId,
  preview: { days, assets, changes, first, looked_at, complete, sizes_unknown },
}: Props) => (
  <section aria-label="Preview" aria-live="polite" className="grid gap-2 rounded-md border border-line p-3 text-sm">
    <p>
      {assets === 0
        ? `With all rules of this project, no asset would have needed approval in the last ${days} days.`
        : `With all rules of this project, ${countOf(assets, 'asset')} in ${countOf(changes, 'change')} would have needed approval in the last ${days} days.`}
      {sizes_unknown > 0 && ` ${countOf(sizes_unknown, 'file')} would match if large enough: the size is unknown.`}
      {!complete && ` Only the newest ${countOf(looked_at, 'change')} are counted.`}
    </p>
    {first.length > 0 && (
      <ul className="grid gap-1 text-xs text-soft">
        {first.map(({ path, change }) => (
          <li key={`${change.id} ${path}`} className="flex items-baseline gap-2">
            <span className="wrap-anywhere min-w-0 flex-1">{path}</span>
            <Link {...changePage(projectId, change.id)} className="font-mono underline">
              {change.display_identifier}
            </Link>
          </li>
        ))}
        {assets > first.length && <li>and more</li>}
      </ul>
    )}
  </section>
)
