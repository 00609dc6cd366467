import type { Noun } from '../../terminal/command.ts'
import { main } from '../../terminal/table.ts'
import type { Reach } from '../program/call.ts'
import { command } from '../program/command.ts'
import { SUMMARIES } from '../summaries.ts'

const list = command({
  name: 'list',
  summary: 'List the projects of your accounts, newest first',
  pages: true,
  web: () => '/',
  shows: { route: 'listProjects', rows: 'projects' },
  examples: ['projects list', "projects list --pick '[].id'"],
  async run({ client, out }) {
    const answer = await client.listProjects({})
    out.answer(answer, () =>
      out.list(
        'projects',
        answer.projects,
        ['id', main('name'), 'engine', 'created_at'],
        'Create one in the web app, or ask an owner of your account to add you to one.',
      ),
    )
  },
})

const shown = (call: Reach & { args: { project?: string | undefined } }) =>
  call.client.showProject({ project_id: call.args.project ?? call.project })

const show = command({
  name: 'show',
  summary: 'Show a project with its counts',
  project: true,
  args: { project: { help: 'Project id (default: the one chosen with goldmaster use)', optional: true } },
  web: async (call) => `/projects/${(await shown(call)).id}`,
  shows: { route: 'showProject' },
  examples: ['projects show 1', 'projects show --web'],
  async run(call) {
    const { out } = call
    const project = await shown(call)
    out.answer(project, () => {
      const { name, ...facts } = project
      out.title(name)
      out.facts(facts)
    })
  },
})

export const projects: Noun = { name: 'projects', summary: SUMMARIES.projects, commands: [list, show] }
