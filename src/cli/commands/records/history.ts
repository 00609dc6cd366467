import type { Client } from '../../../contract/client.ts'
import { SUBJECT_PAGES } from '../../../contract/event-facts.ts'
import { type HistoryEntry, historyWords, quotedNote } from '../../../contract/labels/history-words.ts'
import type { ReplyOf } from '../../../contract/routes.ts'
import { COMMENT_SUBJECTS, type CommentSubject } from '../../../contract/sets.ts'
import { command } from '../../program/command.ts'
import { limitFlag, USUAL_ROWS } from '../../program/filters.ts'
import { SUMMARIES } from '../../summaries.ts'

/** The route of each kind of record, and the name of its id in its path. */
const ROUTES: Record<CommentSubject, { list: keyof Client; id: string }> = {
  task: { list: 'listTaskHistory', id: 'id' },
  build_run: { list: 'listBuildHistory', id: 'build_run_id' },
  breakage: { list: 'listBreakageHistory', id: 'id' },
  change: { list: 'listChangeHistory', id: 'id' },
  asset: { list: 'listAssetHistory', id: 'asset_id' },
  deployment: { list: 'listDeploymentHistory', id: 'id' },
}

const NAMES = { user: (id: number) => `user:${id}`, moment: (at: string) => at }
const words = {
  title: 'what',
  main: true as const,
  cell: (entry: HistoryEntry) => [historyWords(entry, NAMES), quotedNote(entry)].filter(Boolean).join(': '),
}

export const history = command({
  name: 'history',
  summary: SUMMARIES.history,
  project: true,
  args: { kind: { help: 'Kind of the record', values: COMMENT_SUBJECTS }, id: { help: 'Id of the record' } },
  flags: limitFlag,
  web: ({ project, args }) => `/projects/${project}/${SUBJECT_PAGES[args.kind]}/${args.id}`,
  shows: { route: 'listTaskHistory', rows: 'history' },
  examples: ['history task 1', 'history breakage 12 --limit 5', "history build_run 54 --pick '[].kind'"],
  async run({ client, project, args, flags, out }) {
    const { list, id } = ROUTES[args.kind]
    const page = await (client[list] as unknown as (args: object) => Promise<ReplyOf<'listTaskHistory'>>)({
      project_id: project,
      [id]: args.id,
      query: { limit: String(flags.limit ?? USUAL_ROWS) },
    })
    out.answer(page, () => {
      if (page.history.length === 0) out.note('Nothing happened yet.')
      else out.table(page.history, ['at', words])
    })
  },
})
