import { lines } from '../../../contract/params.ts'
import { command } from '../../program/command.ts'

/** Colors are kept for people; any other control sequence is removed. */
const HARMFUL = /\x1b(?!\[[\d;]{0,20}m)|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]/g

export const log = command({
  name: 'log',
  summary: 'print the stored log of a build, whole or in part',
  project: true,
  pages: true,
  web: ({ project, args }) => `/projects/${project}/builds/${args.build}`,
  args: { build: { help: 'its id' } },
  flags: {
    tail: { help: 'only so many lines from the end', value: 'lines', read: (text) => lines.read('--tail', text) },
    search: { help: 'only lines with this text', value: 'text' },
  },
  examples: [
    'builds log 341',
    'builds log 341 --tail 50',
    'builds log 341 --search error:',
    'builds log 341 | goldmaster diagnose -',
  ],
  async run({ client, project, args, flags: { tail, search }, out }) {
    const text = await client.readBuildLog({ project_id: project, build_run_id: args.build, query: { tail, search } })
    if (text === '') return out.note(search === undefined ? 'The build has no log.' : 'No line of the log has this text.')
    const safe = out.forPeople ? text.replace(HARMFUL, '') : text
    out.write(safe.endsWith('\n') ? safe : `${safe}\n`)
  },
})
