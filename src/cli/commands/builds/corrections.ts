import type { Noun } from '../../../terminal/command.ts'
import { extra } from '../../../terminal/table.ts'
import { command } from '../../program/command.ts'
import { listCommand } from '../../program/list-command.ts'
import { SUMMARIES } from '../../summaries.ts'

const list = listCommand({
  route: 'listCorrections',
  rows: 'corrections',
  noun: 'corrections',
  empty: 'To correct why a build failed: goldmaster builds correct BUILD --category CATEGORY',
  summary: 'List corrections of findings, newest first',
  page: 'builds',
  columns: [
    'id',
    { title: 'build', cell: ({ build_run_id }) => build_run_id },
    'category',
    { title: 'line', cell: ({ line_text }) => line_text, main: true },
    extra('cause'),
    { title: 'by', cell: ({ user_id }) => user_id && `user:${user_id}`, extra: true },
    'corrected_at',
  ],
  examples: ['corrections list', 'corrections list --build-run-id 341'],
})

const undo = command({
  name: 'undo',
  summary: 'Undo a correction of a finding',
  project: true,
  web: ({ project }) => `/projects/${project}/builds`,
  args: { correction: { help: 'Id of a correction' } },
  shows: { route: 'undoCorrection' },
  details: 'Its builds are investigated again.',
  examples: ['corrections undo 7'],
  async run({ client, project, args, out }) {
    const gone = await client.undoCorrection({ project_id: project, id: args.correction })
    out.answer(gone, () => out.say(`Correction ${gone.id} undone. Its builds are being investigated again.`))
  },
})

export const corrections: Noun = {
  name: 'corrections',
  summary: SUMMARIES.corrections,
  usual: 'list',
  commands: [list, undo],
}
