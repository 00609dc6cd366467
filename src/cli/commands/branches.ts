import { extra, main } from '../../terminal/table.ts'
import { listCommand } from '../program/list-command.ts'

export const branches = {
  ...listCommand({
    route: 'listBranches',
    rows: 'branches',
    noun: 'branches',
    summary: 'list the branches and streams that are built: red or green, since when, and their last known good change',
    page: 'branches',
    columns: [
      { ...main('name'), ends: true },
      'state',
      { title: 'red jobs', cell: ({ jobs }) => jobs.filter(({ state }) => state === 'red').map(({ name }) => name) },
      'red_since',
      { title: 'head', cell: ({ head }) => head?.display_identifier, extra: true },
      { title: 'last good', cell: ({ last_known_good }) => last_known_good?.display_identifier },
      extra('changes_behind', 'behind'),
      extra('time_to_green_seconds', 'green after'),
    ],
    help: { q: 'only those whose name holds this text' },
    examples: ['branches', 'branches --q rel', "branches --pick 'branches[0].last_known_good.identifier'"],
  }),
  name: 'branches',
}
