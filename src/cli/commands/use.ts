import { EXIT, Failure } from '../../terminal/failures.ts'
import { choose } from '../connection/folder.ts'
import { command } from '../program/command.ts'
import { SUMMARIES } from '../summaries.ts'

export const use = command({
  name: 'use',
  summary: SUMMARIES.use,
  args: { project: { help: 'its id or its name; without it, says which is chosen', optional: true } },
  details:
    'The choice is kept in a file .goldmaster in this folder. It names the project and the host, nothing secret: it may be committed.',
  examples: ['use 7', 'use Starfall', 'use'],
  async run(call) {
    const { args, out, folder } = call
    const wanted = args.project
    if (wanted === undefined) {
      if (!call.chosen)
        throw new Failure('No project is chosen for this folder; choose one of goldmaster projects list: goldmaster use PROJECT')
      return out.line(`${call.chosen.project}\t${call.chosen.host}\t${call.chosen.file}`)
    }
    const { projects } = await call.client.listProjects({})
    const word = wanted.toLowerCase()
    const found = projects.find((each) => each.id === wanted) ?? projects.find((each) => each.name.toLowerCase() === word)
    if (!found)
      throw new Failure(`There is no project ${wanted} at ${call.site}; goldmaster projects list shows yours.`, EXIT.notFound)
    const file = choose(folder, { project: found.id, host: call.site })
    out.note(`This folder is about ${found.name} (project ${found.id}); kept in ${file}`)
  },
})
