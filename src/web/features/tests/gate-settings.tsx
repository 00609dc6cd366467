import type { AppReply } from '../../../contract/app/routes.ts'
import { TEST_GATE_LABELS } from '../../../contract/labels/test-gates.ts'
import { TEST_GATES, type TestGate } from '../../../contract/sets.ts'
import { useWrite } from '../../queries.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { Select, TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Section } from '../../ui/page.tsx'

type Settings = AppReply<'showProjectSettings'>
type Gate = Settings['test_gate']

const linesOf = ({ jobs }: Gate) => jobs.map(({ pattern, fails_on }) => `${pattern} = ${fails_on}`).join('\n')

/** A line `Cook * = off` per job; others are refused by the service. */
const jobsOf = (text: string): Gate['jobs'] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.lastIndexOf('=')
      return { pattern: line.slice(0, at).trim(), fails_on: line.slice(at + 1).trim() as TestGate }
    })

/** When tests fail a build that its CI calls passed. */
export function GateSettings({ settings: { id, test_gate }, locked }: { settings: Settings; locked: boolean }) {
  const [choice, setChoice, clearChoice] = useDraft(`test gate ${id}`, test_gate.fails_on ?? '')
  const [jobs, setJobs, clearJobs] = useDraft(`test gate of jobs ${id}`, linesOf(test_gate))
  const edit = useWrite('editProject', ['showProjectSettings', 'listBuildTests', 'showBuild'])
  const submit = async () => {
    await edit.mutateAsync({
      project_id: id,
      body: { test_gate: { fails_on: choice === '' ? null : (choice as TestGate), jobs: jobsOf(jobs) } },
    })
    clearChoice()
    clearJobs()
  }
  const isSame = choice === (test_gate.fails_on ?? '') && jobs === linesOf(test_gate)
  return (
    <Section title="Test gate">
      <Form action="Save" submit={submit} done="Saved" disabled={locked || isSame}>
        <Select
          label="Tests fail a build that its CI calls passed"
          hint="The build then counts as failed for its branch, breakages, last known good and the newest good build. Its status stays what the CI says. Tests in quarantine never count."
          options={[
            ['', 'When a test fails in a job that runs tests, or a run crashes'],
            ...TEST_GATES.map((gate) => [gate, TEST_GATE_LABELS[gate]] as const),
          ]}
          className="max-w-md"
          disabled={locked}
          value={choice}
          onChange={setChoice}
        />
        <TextArea
          label="Exceptions by job"
          hint="A line per job: its name, with * for any text, then = and failures, crashes or off. The first matching line counts."
          placeholder={'Nightly-Soak* = crashes\nExperimental* = off'}
          rows={3}
          maxLength={10_000}
          disabled={locked}
          value={jobs}
          onChange={setJobs}
        />
      </Form>
    </Section>
  )
}
