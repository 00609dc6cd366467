import { command } from '../../program/command.ts'
import { owner } from '../tests/owner-column.ts'

const title = ({ class: className, name }: { class: string; name: string }) => (className === '' ? name : `${className}.${name}`)
const test = { title: 'test', cell: title, main: true, ends: true } as const

export const tests = command({
  name: 'tests',
  summary: 'Show the test results of a build',
  project: true,
  pages: true,
  web: ({ project, args }) => `/projects/${project}/builds/${args.build}`,
  args: { build: { help: 'Id of the build' } },
  shows: { route: 'listBuildTests' },
  details: 'Failures are compared with the previous run of the same tests on the branch.',
  examples: ['builds tests 54', "builds tests 54 --pick 'failures[].name'"],
  async run({ client, project, args, out }) {
    const found = await client.listBuildTests({ project_id: project, build_run_id: args.build })
    out.answer(found, () => {
      if (found.reports.length === 0 && found.failures.length === 0)
        return out.note('No test results. Send them with goldmaster tests upload.')
      const {
        tests: total,
        passed,
        failed,
        errors,
        skipped,
        flaky,
        new_failures,
        still_failing,
        first_run_failures,
        verdict,
        quarantined,
      } = found
      out.facts({
        'counts as': verdict,
        'in quarantine': quarantined || undefined,

        tests: total,
        passed,
        failed: failed + errors,
        skipped,
        flaky,
        new_failures,
        still_failing,
        first_run_failures,
      })
      out.section('Causes', found.causes, [
        'tests',
        { title: 'new', cell: (group) => group.new_failures },
        { title: 'cause', cell: ({ cause, place }) => (place ? `${cause} (${place})` : cause), main: true },
      ])
      out.section('Failures', found.failures, ['id', 'state', test, owner, { title: 'message', cell: ({ message }) => message }])
      out.section('Fixed', found.fixed, ['id', test])
      out.section('Slower', found.slower, [
        'id',
        { title: 'ms', cell: (row) => row.duration_ms },
        { title: 'before', cell: (row) => row.previous_ms },
        test,
      ])
    })
  },
})
