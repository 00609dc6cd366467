import type { AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { Checkbox, TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { patternLines } from '../../ui/form/pattern-lines.ts'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Copy } from '../../ui/text/copy.tsx'
import { useToast } from '../../ui/toast.tsx'

type Settings = AppReply<'showProjectSettings'>
type Requirement = Settings['required_jobs'][number]

const linesOf = (required: readonly Requirement[]) =>
  required.map(({ branch, jobs }) => `${branch}: ${jobs.join(', ')}`).join('\n')

const requirementsOf = (text: string): Requirement[] =>
  patternLines(text).map(({ pattern, values }) => ({ branch: pattern, jobs: values.filter(Boolean) }))

/** The required jobs of a branch, and its badge. */
export function BranchSettings({ settings, locked }: { settings: Settings; locked: boolean }) {
  const { id, required_jobs, badge_key } = settings
  const stored = linesOf(required_jobs)
  const unmatched = settings.unmatched_patterns.filter((pattern) => required_jobs.some(({ branch }) => branch === pattern))
  const [draft, setDraft, clear] = useDraft(`required jobs ${id}`, stored)
  const edit = useWrite('editProject', ['showProjectSettings', 'listBranches', 'showBranchHealth'])
  const say = useToast()
  const submit = async () => {
    await edit.mutateAsync({ project_id: id, body: { required_jobs: requirementsOf(draft) } })
    clear()
  }
  const badge = async (on: boolean) => {
    await edit.mutateAsync({ project_id: id, body: { badge: on } })
    say(on ? 'Badge enabled' : 'Badge disabled')
  }
  return (
    <Section title="Branches">
      <Form action="Save" submit={submit} done="Saved" disabled={locked || draft.trim() === stored}>
        <TextArea
          label="Required jobs"
          hint="One branch or pattern per line, followed by its jobs. On other branches, every job is required from its first result on."
          placeholder={'//game/main: Editor Win64, Cook PS5\n//game/rel-*: Package'}
          rows={4}
          disabled={locked}
          value={draft}
          onChange={setDraft}
        />
      </Form>
      {unmatched.length > 0 && <Notice kind="warn">No branch matches {unmatched.join(', ')}.</Notice>}
      <Checkbox
        label="Badge"
        hint="An image with the state of a branch. Anyone with its URL can see it without signing in."
        disabled={locked || edit.isPending}
        checked={badge_key !== null}
        onChange={(isChecked) => void badge(isChecked).catch(() => {})}
      />
      {badge_key !== null && <Copy value={`${location.origin}/badges/${badge_key}.svg?branch=main`} label="badge URL" />}
    </Section>
  )
}
