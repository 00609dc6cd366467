import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { SOURCE_TYPES } from '../../../contract/sets.ts'
import { useFilters } from '../../filters.ts'
import { usePages } from '../../queries.ts'
import { Empty } from '../../ui/empty.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { useDebounced } from '../../ui/form/debounced.ts'
import { Filter } from '../../ui/form/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Pages } from '../../ui/pages.tsx'
import { ChangeList } from './change-list.tsx'

const SOURCES = { GitCommit: 'Git commits', Changelist: 'Changelists', AssetCommit: 'Asset commits' }

export default function Changes() {
  const { projectId = '' } = useParams({ strict: false })
  const [{ source_type, orphaned, identifier }, filter] = useFilters('source_type', 'orphaned', 'identifier')
  const [text, setText] = useState(identifier)
  const settled = useDebounced(text.trim())
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed goes into the address once somebody pauses
  useEffect(() => {
    if (settled !== identifier) filter({ identifier: settled })
  }, [settled])
  // Whoever goes to the list anew finds all of it.
  useEffect(() => {
    if (identifier === '') setText('')
  }, [identifier])
  const query = { source_type, orphaned: orphaned || undefined, identifier }
  const pages = usePages('listChanges', { project_id: projectId, query }, 'changes')
  const filtered = source_type !== '' || identifier !== ''
  return (
    <Page
      title="Changes"
      actions={
        <>
          <input
            type="search"
            aria-label="Commit or changelist"
            placeholder="Full commit or changelist"
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="h-8 w-52 rounded-md border border-line bg-panel px-2 text-sm placeholder:text-faint"
          />
          <Filter
            label="Kind"
            value={source_type}
            onChange={(event) => filter({ source_type: event.target.value })}
            options={[['', 'All kinds'], ...SOURCE_TYPES.map((value) => [value, SOURCES[value]] as const)]}
          />
          <Filter
            label="Overwritten changes"
            value={orphaned}
            onChange={(event) => filter({ orphaned: event.target.value })}
            options={[
              ['', 'Current history'],
              ['true', 'With overwritten ones'],
            ]}
          />
        </>
      }
    >
      <Pages
        query={pages}
        count={pages.items.length}
        empty={
          filtered ? (
            <Empty title="No such change">A search needs the whole commit hash or changelist number.</Empty>
          ) : (
            <Empty
              title="No changes yet"
              action={
                <Link to="/projects/$projectId/integrations" params={{ projectId }} className={buttonClass()}>
                  Connect version control
                </Link>
              }
            >
              Every commit and changelist stands here the moment your version control reports it.
            </Empty>
          )
        }
      >
        <ChangeList changes={pages.items} label="Changes, newest first" />
      </Pages>
    </Page>
  )
}
