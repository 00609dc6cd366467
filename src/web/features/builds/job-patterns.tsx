import type { AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { patternLines } from '../../ui/form/pattern-lines.ts'
import { Section } from '../../ui/page.tsx'

type Settings = AppReply<'showProjectSettings'>
type Pattern = Settings['job_patterns'][number]

/** `Nightly-*: PS5, Shipping`; without a platform `Nightly-*: , Shipping`. */
const linesOfPatterns = (patterns: readonly Pattern[]) =>
  patterns
    .map(({ pattern, platform = '', configuration }) => `${pattern}: ${platform}${configuration ? `, ${configuration}` : ''}`)
    .join('\n')

const patternsOf = (text: string): Pattern[] =>
  patternLines(text).map(({ pattern, values: [platform, configuration] }) => ({
    pattern,
    ...(platform && { platform }),
    ...(configuration && { configuration }),
  }))

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
