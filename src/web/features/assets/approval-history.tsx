import { Link } from '@tanstack/react-router'
import { usePages } from '../../queries.ts'
import { assetPage } from '../../record-pages.ts'
import { useNames } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { InfiniteList } from '../../ui/infinite-list.tsx'
import { ApprovalStatus, wordsOf } from '../../ui/pill.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/text/time.tsx'

/** Who decided what, and why. */
export function ApprovalHistory({ projectId, status }: { projectId: string; status: string }) {
  const pages = usePages('listApprovals', { project_id: projectId, query: { status } }, 'approvals')
  const nameOf = useNames()
  return (
    <InfiniteList query={pages} empty={<Empty title="No matching decisions" />}>
      <Table
        caption="Decided approvals, newest request first"
        rows={pages.items}
        keyOf={({ id }) => id}
        columns={[
          { head: 'Decision', cell: ({ status }) => <ApprovalStatus value={status} /> },
          {
            head: 'Asset',
            className: 'max-w-60 break-words',
            cell: ({ asset_id, asset_name, asset_version, approver_user_id }) => (
              <>
                <Link {...assetPage(projectId, asset_id)} className="font-medium hover:underline">
                  {asset_name}
                </Link>{' '}
                <span className="text-xs text-soft">
                  v{asset_version}
                  <span className="md:hidden"> · {nameOf(approver_user_id)}</span>
                </span>
              </>
            ),
          },
          { head: 'Stage', wide: true, cell: ({ approval_stage }) => wordsOf(approval_stage) },
          { head: 'By', wide: true, cell: ({ approver_user_id }) => nameOf(approver_user_id) },
          {
            head: 'Comment',
            wide: true,
            className: 'max-w-72 whitespace-pre-wrap break-words',
            cell: ({ comments }) => comments || <span className="text-faint">none</span>,
          },
          { head: 'When', cell: ({ decided_at }) => <Time at={decided_at} /> },
        ]}
      />
    </InfiniteList>
  )
}
