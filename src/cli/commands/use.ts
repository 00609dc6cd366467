import { EXIT, Failure } from '../../terminal/failures.ts'
import { choose } from '../connection/folder.ts'
import { command } from '../program/command.ts'
import { SUMMARIES } from '../summaries.ts'

export const use = command({
  name: 'use',
  summary: SUMMARIES.use,
  args: { project: { help: 'Project id or name; without it, print the chosen project', optional: true } },
  details:
    'The choice is saved in the file .goldmaster in this folder. It has the project and the host and no secrets, so you can commit it.',
  examples: ['use 1', "use 'Cinder Coast'", 'use'],
  async run(call) {
    const { args, out, folder } = call
    const wanted = args.project
    if (wanted === undefined) {
      if (!call.chosen)
        throw new Failure(
          'No project chosen for this folder. Choose one: goldmaster use PROJECT. To see your projects, run: goldmaster projects list',
        )
      return out.line(`${call.chosen.project}\t${call.chosen.host}\t${call.chosen.file}`)
    }
    const { projects } = await call.client.listProjects({})
    const word = wanted.toLowerCase()
    const found = projects.find((each) => each.id === wanted) ?? projects.find((each) => each.name.toLowerCase() === word)
    if (!found)
      throw new Failure(
        `Project not found at ${call.site}: ${wanted}. To see your projects, run: goldmaster projects list`,
        EXIT.notFound,
      )
    const file = choose(folder, { project: found.id, host: call.site })
    out.note(`This folder now uses ${found.name} (project ${found.id}). Saved in ${file}`)
  },
})
