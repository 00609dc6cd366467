import type { CorrectionInput } from '../../../contract/bodies.ts'
import { CORRECT_CATEGORIES } from '../../../contract/sets.ts'
import { usage } from '../../../terminal/failures.ts'
import { command } from '../../program/command.ts'

const wholeNumber = (text: string): number => {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Error('It must be a whole number, such as 120.')
  return Number(text)
}

export const correct = command({
  name: 'correct',
  summary: 'Correct the finding of a failed build',
  project: true,
  web: ({ project, args }) => `/projects/${project}/builds/${args.build}`,
  args: { build: { help: 'Id of a failed build' } },
  flags: {
    line: { help: 'Number of the log line that shows the cause', value: 'number', read: wholeNumber },
    category: { help: 'The right category', value: 'category', values: CORRECT_CATEGORIES },
    cause: { help: 'Why the build failed, in your words', value: 'text' },
    not_change: { help: 'Id of a change that did not cause it', value: 'id', many: true, read: wholeNumber },
  },
  shows: { route: 'correctBuild' },
  details:
    'Goldmaster investigates the build again and applies the correction to the same failure in other builds of the project.',
  examples: [
    'builds correct 341 --line 1210 --category network',
    'builds correct 341 --cause "The license server was down"',
    'builds correct 341 --not-change 1204',
  ],
  async run({ client, project, args, flags, out }) {
    const { line, category, cause, not_change } = flags
    const body: CorrectionInput = {
      ...(line !== undefined && { line }),
      ...(category !== undefined && { category }),
      ...(cause !== undefined && { cause }),
      ...(not_change !== undefined && not_change.length > 0 && { cleared_change_ids: [...not_change] }),
    }
    if (Object.keys(body).length === 0) throw usage('Missing correction. Use --line, --category, --cause or --not-change.')
    const made = await client.correctBuild({ project_id: project, build_run_id: args.build, body })
    out.answer(made, () => out.say(`Correction ${made.id} saved. Build ${args.build} is being investigated again.`))
  },
})
