import type { AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Section } from '../../ui/page.tsx'
import { linesOfPatterns, patternsOf } from './job-pattern-lines.ts'

type Settings = AppReply<'showProjectSettings'>

/** Platform and configuration of jobs whose names don't say them. */
export function JobPatterns({ settings: { id, job_patterns }, locked }: { settings: Settings; locked: boolean }) {
  const stored = linesOfPatterns(job_patterns)
  const [draft, setDraft, clear] = useDraft(`job patterns ${id}`, stored)
  const edit = useWrite('editProject', ['showProjectSettings'])
  const submit = async () => {
    await edit.mutateAsync({ project_id: id, body: { job_patterns: patternsOf(draft) } })
    clear()
  }
  return (
    <Section title="Platforms">
      <Form action="Save" submit={submit} done="Saved" disabled={locked || draft.trim() === stored}>
        <TextArea
          label="Platforms of jobs"
          hint="One job pattern per line, followed by its platform and configuration. Only for builds that don’t report them and jobs whose names don’t say them, such as “Game Win64 Shipping”. Applies to new builds."
          placeholder={'Nightly-Kraken-*: PS5, Shipping\nEditor *: Win64'}
          rows={3}
          disabled={locked}
          value={draft}
          onChange={setDraft}
        />
      </Form>
    </Section>
  )
}
