import { TEST_GATE_LABELS } from '../../../contract/labels/test-gates.ts'
import { TEST_GATES } from '../../../contract/sets.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useMay } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useReport } from '../../ui/toast.tsx'

/** Asks once, when a project has its first test results, what fails a build that its CI calls passed. */
export function GateQuestion({ projectId }: { projectId: string }) {
  const may = useMay('lead')
  const { data } = useApi('showProjectSettings', { project_id: projectId }, { enabled: may })
  const edit = useWrite('editProject', ['showProjectSettings', 'listBuildTests', 'showBuild'])
  const report = useReport()
  if (!may || !data || data.test_gate.fails_on !== null) return null
  return (
    <Notice>
      <span className="grid gap-2">
        <span>
          When do tests fail a build that its CI calls passed? Until you choose: failing tests in jobs that run tests, crashed
          runs and missing reports in all jobs. The project settings have this choice too.
        </span>
        <span className="flex flex-wrap gap-2">
          {TEST_GATES.toReversed().map((fails_on) => (
            <Button
              key={fails_on}
              disabled={edit.isPending}
              onClick={() =>
                void report(
                  edit.mutateAsync({ project_id: Number(projectId), body: { test_gate: { ...data.test_gate, fails_on } } }),
                  'Saved',
                  'Not saved: ',
                )
              }
            >
              {TEST_GATE_LABELS[fails_on]}
            </Button>
          ))}
        </span>
      </span>
    </Notice>
  )
}
