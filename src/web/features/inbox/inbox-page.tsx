import { Link } from '@tanstack/react-router'
import { wordsOf } from '../../api.ts'
import { useFilters } from '../../filters.ts'
import { usePages, useWrite } from '../../queries.ts'
import { Empty } from '../../ui/empty.tsx'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Pages } from '../../ui/pages.tsx'
import { useToast } from '../../ui/toast.tsx'
import { SavedViews } from '../views/saved-views.tsx'
import { InboxList } from './inbox-list.tsx'

const ALL = 'all'
const VIEWS = [
  ['', 'Unread'],
  [ALL, 'All'],
] as const

/** What concerns whoever is signed in, in all of their projects. */
export default function Inbox() {
  const [{ show }, filter] = useFilters('show')
  const isAll = show === ALL
  const pages = usePages('listNotifications', { query: { unread: isAll ? undefined : true } }, 'notifications')
  const { items } = pages
  const unread = pages.first?.unread ?? 0
  return (
    <Page
      title="Inbox"
      actions={
        <>
          <Filter label="Show" options={VIEWS} value={show} onChange={({ target }) => filter({ show: target.value })} />
          <SavedViews />
          {unread > 0 && <MarkAll />}
        </>
      }
    >
      <Pages query={pages} count={items.length} empty={isAll ? <NothingEver /> : <AllRead onAll={() => filter({ show: ALL })} />}>
        <InboxList notifications={items} />
      </Pages>
    </Page>
  )
}

function MarkAll() {
  const mark = useWrite('markNotifications', ['listNotifications'])
  const say = useToast()
  return (
    <Button
      busy={mark.isPending}
      onClick={() =>
        mark.mutate(
          { body: { read: true } },
          { onSuccess: () => say('All are read'), onError: (error) => say(wordsOf(error), 'err') },
        )
      }
    >
      Mark all as read
    </Button>
  )
}

const AllRead = ({ onAll }: { onAll(): void }) => (
  <Empty title="Nothing unread" action={<Button onClick={onAll}>Show what you have read</Button>}>
    When a change of yours is suspected, a breakage or a task is given to you, or assets wait for your approval, it stands here.
  </Empty>
)

const NothingEver = () => (
  <Empty
    title="Nothing has concerned you yet"
    action={
      <Link to="/settings/connected-accounts" className={buttonClass()}>
        Tell what you are called in other tools
      </Link>
    }
  >
    What is about you stands here: a change of yours that is suspected, a breakage or a task that is given to you, assets that
    wait for your approval. Changes find you by the names you go by in version control.
  </Empty>
)
