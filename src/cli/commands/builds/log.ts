import { lines } from '../../../contract/params.ts'
import { command } from '../../program/command.ts'

/** Colors are kept for people; any other control sequence is removed. */
const HARMFUL = /\x1b(?!\[[\d;]{0,20}m)|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]/g

export const log = command({
  name: 'log',
  summary: 'Print the log of a build, or a part of it',
  project: true,
  pages: true,
  web: ({ project, args }) => `/projects/${project}/builds/${args.build}`,
  args: { build: { help: 'Id of the build' } },
  flags: {
    tail: { help: 'Only the last lines', value: 'lines', read: (text) => lines.read('--tail', text) },
    search: { help: 'Only lines with this text', value: 'text' },
  },
  examples: [
    'builds log 54',
    'builds log 54 --tail 50',
    'builds log 54 --search error:',
    'builds log 54 | goldmaster diagnose -',
  ],
  async run({ client, project, args, flags: { tail, search }, out }) {
    const text = await client.readBuildLog({ project_id: project, build_run_id: args.build, query: { tail, search } })
    if (text === '')
      return out.note(search === undefined ? 'This build has no log: the CI sent none, or it was deleted.' : 'No lines match.')
    const safe = out.forPeople ? text.replace(HARMFUL, '') : text
    out.write(safe.endsWith('\n') ? safe : `${safe}\n`)
  },
})
