import { clean } from '../../../terminal/text.ts'
import { relative } from '../../../terminal/times.ts'
import { command } from '../../program/command.ts'
import { SUMMARIES } from '../../summaries.ts'
import { type Board, followBoard, loadBoard } from './board.ts'

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`

/** A branch and what happens in its project, in one line. */
export function statusLine({ branches, running, breakages }: Board, branch: string | undefined, now: number): string {
  const found = branch === undefined ? branches[0] : branches.find(({ name }) => name === branch)
  const red = found?.jobs.flatMap((job) => (job.state === 'red' ? [job.name] : [])) ?? []
  const since = found?.red_since
    ? relative(found.red_since, now)
        .replace(/^(.+) ago$/, ' for $1')
        .replace(/^just now$/, '')
    : ''
  const state = found ? `${found.name} ${found.state}${since}${red.length > 0 ? ` (${red.join(', ')})` : ''}` : undefined
  const parts = [
    state ?? (branch === undefined ? 'no branch yet' : `${branch} is unknown`),
    running.length > 0 && `${running.length} running`,
    breakages.length > 0 && count(breakages.length, 'breakage', 'breakages'),
  ]
  return clean(parts.filter(Boolean).join(', '))
}

export const status = command({
  name: 'status',
  summary: SUMMARIES.status,
  project: true,
  web: ({ project }) => `/projects/${project}/branches`,
  args: { branch: { help: 'Branch or stream, such as main (default: the branch built last)', optional: true } },
  flags: { follow: { help: 'Keep printing the line whenever it changes, until you press Ctrl+C', short: 'F' } },
  details: 'The line has the state of a branch, its red jobs, and how many builds run and breakages are open in the project.',
  examples: ['status', 'status main', 'status main --follow'],
  async run(call) {
    const { client, project, args, flags, out } = call
    const lineOf = (board: Board) => statusLine(board, args.branch, Date.now())
    if (!flags.follow) return out.line(lineOf(await loadBoard(client, project)))
    let last: string | undefined
    await followBoard(call, {
      show(board) {
        const line = lineOf(board)
        if (line !== last) out.line(line)
        last = line
      },
      note: (text) => out.note(text),
    })
  },
})
