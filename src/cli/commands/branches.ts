import { duration } from '../../terminal/times.ts'
import { listCommand } from '../program/list-command.ts'

export const branches = {
  ...listCommand({
    route: 'listBranches',
    rows: 'branches',
    noun: 'branches',
    summary: 'list the branches and streams that are built: red or green, since when, and their last known good change',
    page: 'branches',
    columns: [
      'name',
      'state',
      { title: 'red jobs', cell: ({ jobs }) => jobs.filter(({ state }) => state === 'red').map(({ name }) => name) },
      'red_since',
      { title: 'head', cell: ({ head }) => head?.display_identifier },
      { title: 'last known good', cell: ({ last_known_good }) => last_known_good?.display_identifier },
      { title: 'behind', cell: ({ changes_behind }) => changes_behind },
      { title: 'green after', cell: ({ time_to_green_seconds: seconds }) => (seconds === null ? '' : duration(seconds)) },
    ],
    help: { q: 'only those whose name holds this text' },
    examples: ['branches', 'branches --q rel', "branches --pick 'branches[0].last_known_good.identifier'"],
  }),
  name: 'branches',
}
