import { Link } from '@tanstack/react-router'
import { useFilters } from '../../filters.ts'
import { usePages, useWrite } from '../../queries.ts'
import { Empty } from '../../ui/empty.tsx'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { InfiniteList } from '../../ui/infinite-list.tsx'
import { Page } from '../../ui/page.tsx'
import { useReport } from '../../ui/toast.tsx'
import { SavedViews } from '../views/saved-views.tsx'
import { InboxList } from './inbox-list.tsx'

const ALL = 'all'
const VIEWS = [
  ['', 'Unread'],
  [ALL, 'All'],
] as const

/** The inbox of the signed-in user, for all of their projects. */
export default function Inbox() {
  const [{ show }, filter, fieldOf] = useFilters('show')
  const isAll = show === ALL
  const pages = usePages('listNotifications', { query: { unread: isAll ? undefined : true } }, 'notifications')
  const { items } = pages
  const unread = pages.first?.unread ?? 0
  return (
    <Page
      title="Inbox"
      actions={
        <>
          <Filter label="Show" options={VIEWS} {...fieldOf('show')} />
          <SavedViews />
          {unread > 0 && <MarkAll />}
        </>
      }
    >
      <InfiniteList query={pages} empty={isAll ? <NothingEver /> : <AllRead onAll={() => filter({ show: ALL })} />}>
        <InboxList notifications={items} />
      </InfiniteList>
    </Page>
  )
}

function MarkAll() {
  const mark = useWrite('markNotifications', ['listNotifications'])
  const report = useReport()
  return (
    <Button busy={mark.isPending} onClick={() => void report(mark.mutateAsync({ body: { read: true } }), 'All marked as read')}>
      Mark all as read
    </Button>
  )
}

const AllRead = ({ onAll }: { onAll(): void }) => (
  <Empty title="You’re all caught up" action={<Button onClick={onAll}>Show read notifications</Button>}>
    You get a notification when your change is suspected, a breakage or task is assigned to you, or assets need your approval.
  </Empty>
)

const NothingEver = () => (
  <Empty
    title="No notifications yet"
    action={
      <Link to="/settings/connected-accounts" className={buttonClass()}>
        Add your names in other tools
      </Link>
    }
  >
    You get a notification when your change is suspected, a breakage or task is assigned to you, or assets need your approval. Add
    your version control user name so that changes are recognized as yours.
  </Empty>
)
