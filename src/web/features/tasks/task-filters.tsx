import { choicesOf } from '../../../contract/labels.ts'
import { PRIORITIES, TASK_TYPES } from '../../../contract/sets.ts'
import { useFilters } from '../../filters.ts'
import { usePages } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { SearchField } from '../../ui/form/search-field.tsx'

import { SavedViews } from '../views/saved-views.tsx'
import { AssigneeChoice } from './assignee.tsx'

const NAMES = ['q', 'task_type', 'priority', 'assignee', 'label', 'layout'] as const
export type TaskFilters = Partial<Record<'q' | 'state' | 'task_type' | 'priority' | 'assignee' | 'label', string>>

/** The filters and view of tasks; all of it is in the URL. */
export function useTaskFilters() {
  const [{ layout, ...query }, filter, fieldOf] = useFilters(...NAMES)
  const filtered = Object.values(query).some(Boolean)
  const bar = (
    <>
      <SearchField label="Search tasks" placeholder="Search" {...fieldOf('q')} className="w-32" />
      <SearchField label="Label" {...fieldOf('label')} className="w-24" />
      <Filter label="Type" {...fieldOf('task_type')} options={[['', 'All types'], ...choicesOf('task_type', TASK_TYPES)]} />
      <Filter
        label="Priority"
        {...fieldOf('priority')}
        options={[['', 'All priorities'], ...choicesOf('priority', PRIORITIES)]}
      />
      <AssigneeChoice label="Assignee" {...fieldOf('assignee')} none="Everybody" open={false} />
      <Filter
        label="Layout"
        {...fieldOf('layout')}
        options={[
          ['', 'Board'],
          ['list', 'List'],
        ]}
      />
      <SavedViews />
      {filtered && (
        <Button look="quiet" onClick={() => filter({ q: '', task_type: '', priority: '', assignee: '', label: '' })}>
          Clear
        </Button>
      )}
    </>
  )
  return { query: query as TaskFilters, filtered, isList: layout === 'list', bar }
}

/** Text is found by the search over the same list. */
export const useTaskPages = (projectId: string, query: TaskFilters, limit: number) =>
  usePages(
    query.q ? 'searchTasks' : ('listTasks' as 'searchTasks'),
    { project_id: projectId, query: { ...query, q: query.q || undefined, limit } },
    'tasks',
  )
