import type { AppReply } from '../../../contract/app/routes.ts'
import { TEST_OWNERS_MAX } from '../../../contract/limits.ts'
import { useWrite } from '../../queries.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Section } from '../../ui/page.tsx'

/** Who owns the tests of a project, as a CODEOWNERS file. */
export function TestOwnerRules({ settings, locked }: { settings: AppReply<'showProjectSettings'>; locked: boolean }) {
  const { id, test_owners } = settings
  const [draft, setDraft, clear] = useDraft(`test owners ${id}`, test_owners)
  const edit = useWrite('editProject', ['showProjectSettings', 'showTest', 'listTests', 'listBuildTests'])
  const submit = async () => {
    await edit.mutateAsync({ project_id: id, body: { test_owners: draft } })
    clear()
  }
  return (
    <Section title="Owners of tests">
      <Form action="Save" submit={submit} done="Saved" disabled={locked || draft === test_owners}>
        <TextArea
          label="Rules"
          hint="As in a CODEOWNERS file: a path and its owners per line; the last matching line counts. A path matches the file of a failure or the name of the test. Members are recognized by their email address or by their name in a connected tool, such as @kim."
          placeholder={'* @build-team\n/Source/Audio/ @kim\nProject/Maps/ maps@studio.example'}
          rows={4}
          maxLength={TEST_OWNERS_MAX}
          disabled={locked}
          value={draft}
          onChange={setDraft}
        />
      </Form>
    </Section>
  )
}
