import { Link } from '@tanstack/react-router'
import type { HistoryEntry } from '../../../contract/labels/history-words.ts'
import { assetPage, breakagePage, buildPage } from '../../record-pages.ts'
import { TaskLink } from '../tasks/task-link.tsx'

const PAGES = {
  asset_id: [assetPage, 'Open asset'],
  build_run_id: [buildPage, 'Open build'],
  same_as_breakage_id: [breakagePage, 'Open breakage'],
} as const

/** Leads to the other record that an entry names. */
export function HistoryLink({ projectId, entry: { changes } }: { projectId: string; entry: HistoryEntry }) {
  if (changes.task_id?.to != null) return <TaskLink projectId={projectId} id={Number(changes.task_id.to)} />
  const field = (Object.keys(PAGES) as (keyof typeof PAGES)[]).find((field) => changes[field]?.to != null)
  if (!field) return null
  const [page, words] = PAGES[field]
  return (
    <Link {...page(projectId, String(changes[field]!.to))} className="underline">
      {words}
    </Link>
  )
}
