import type { Noun } from '../../terminal/command.ts'
import { visit } from '../connection/browser.ts'
import { command } from '../program/command.ts'

const list = command({
  name: 'list',
  summary: 'list the projects of your accounts, newest first',
  pages: true,
  web: () => '/',
  shows: { route: 'listProjects', rows: 'projects' },
  examples: ['projects list', "projects list --pick 'projects[].id'"],
  async run({ client, out }) {
    const answer = await client.listProjects({})
    out.answer(answer, () => out.list('projects', answer.projects, ['id', 'name', 'engine', 'created_at']))
  },
})

const show = command({
  name: 'show',
  summary: 'show a project and how much is in it',
  project: true,
  args: { project: { help: 'its id (default: the one chosen for this folder)', optional: true } },
  flags: { web: { help: 'show it in the browser' } },
  shows: { route: 'showProject' },
  examples: ['projects show 7', 'projects show --web'],
  async run(call) {
    const { client, out, env, flags, args } = call
    const project_id = args.project ?? call.project
    const project = await client.showProject({ project_id })
    if (flags.web) return visit(call.page(`/projects/${project.id}`), env, (url) => out.say(url))
    out.answer(project, () => {
      const { name, ...facts } = project
      out.title(name)
      out.facts(facts)
    })
  },
})

export const projects: Noun = { name: 'projects', summary: 'games and what belongs to them', commands: [list, show] }
