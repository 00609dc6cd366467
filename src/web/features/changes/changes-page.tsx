import { useParams } from '@tanstack/react-router'
import { TERMS } from '../../../contract/labels.ts'
import { SOURCE_TYPES } from '../../../contract/sets.ts'
import { useFilters } from '../../filters.ts'
import { PAGE_ROWS, usePages } from '../../queries.ts'
import { NoRecords } from '../../ui/empty.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { DateFields, endOf, SearchField, startOf } from '../../ui/form/search-field.tsx'
import { InfiniteList } from '../../ui/infinite-list.tsx'
import { Page } from '../../ui/page.tsx'
import { SavedViews } from '../views/saved-views.tsx'
import { ChangeList } from './change-list.tsx'

const FILTERS = ['source_type', 'orphaned', 'q', 'branch', 'author', 'path', 'since', 'until'] as const
const NONE = Object.fromEntries(FILTERS.map((name) => [name, '']))

export default function Changes() {
  const { projectId = '' } = useParams({ strict: false })
  const [filters, filter, fieldOf] = useFilters(...FILTERS)
  const { source_type, orphaned, q, branch, author, path, since, until } = filters
  const query = {
    ...{ source_type, orphaned: orphaned || undefined, q, branch, author, path },
    since: startOf(since),
    until: endOf(until),
    builds: true,
    limit: PAGE_ROWS,
  }
  const searches = [q, branch, author, path].some(Boolean)
  const pages = usePages(
    searches ? 'searchChanges' : ('listChanges' as 'searchChanges'),
    { project_id: projectId, query },
    'changes',
  )
  const filtered = Object.values(filters).some(Boolean)
  return (
    <Page
      title="Changes"
      actions={
        <>
          <Filter
            label="Type"
            {...fieldOf('source_type')}
            options={[
              ['', 'All types'],
              ...SOURCE_TYPES.map((value) => [value, TERMS.source_type[value].plural ?? value] as const),
            ]}
          />
          <Filter
            label="Overwritten changes"
            {...fieldOf('orphaned')}
            options={[
              ['', 'Current history'],
              ['true', 'Include overwritten'],
            ]}
          />
          <SavedViews />
        </>
      }
    >
      <div className="flex flex-wrap items-center gap-2">
        <SearchField label="Search changes" placeholder="Text, commit or changelist" {...fieldOf('q')} className="w-56" />
        <SearchField label="Branch" placeholder="Branch (exact)" {...fieldOf('branch')} />
        <SearchField label="Author" {...fieldOf('author')} className="w-28" />
        <SearchField label="Path" placeholder="Part of a path" {...fieldOf('path')} className="w-36" />
        <DateFields since={since} until={until} onChange={filter} />
      </div>
      <InfiniteList
        query={pages}
        empty={
          <NoRecords of="changes" filtered={filtered} onClear={() => filter(NONE)} connect="Connect version control">
            Connect your version control to see every commit and changelist here.
          </NoRecords>
        }
      >
        <ChangeList changes={pages.items} label="Changes, newest first" />
      </InfiniteList>
    </Page>
  )
}
