import { command } from '../program/command.ts'
import { SUMMARIES } from '../summaries.ts'

export const members = command({
  name: 'members',
  summary: SUMMARIES.members,
  project: true,
  pages: true,
  web: ({ project }) => `/projects/${project}/members`,
  shows: { route: 'listMembers', rows: 'members' },
  examples: ['members', "members --pick '[].user_id'", "members --envelope --pick 'assignee_handles[]'"],
  async run({ client, project, out }) {
    const answer = await client.listMembers({ project_id: project })
    out.answer(answer, () => {
      out.table(answer.members, [
        'user_id',
        'role',
        {
          title: 'accounts',
          main: true,
          cell: (member) => member.connected_accounts.map(({ provider, uid }) => (uid ? `${provider}:${uid}` : provider)),
        },
      ])
      if (answer.assignee_handles.length > 0) out.note(`Agents: ${answer.assignee_handles.join(', ')}`)
      if (answer.truncated) out.note('Not all members are shown: the list ends at 200.')
    })
  },
})
