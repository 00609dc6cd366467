import type { AppReply } from '../../../contract/app/routes.ts'
import { PATH_OWNERS_MAX } from '../../../contract/limits.ts'
import { useWrite } from '../../queries.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Section } from '../../ui/page.tsx'

/** Who owns the files and tests of a project, as a CODEOWNERS file. */
export function PathOwners({ settings, locked }: { settings: AppReply<'showProjectSettings'>; locked: boolean }) {
  const { id, path_owners } = settings
  const [draft, setDraft, clear] = useDraft(`path owners ${id}`, path_owners)
  const edit = useWrite('editProject', ['showProjectSettings', 'showTest', 'listTests', 'listBuildTests'])
  const submit = async () => {
    await edit.mutateAsync({ project_id: id, body: { path_owners: draft } })
    clear()
  }
  return (
    <Section title="Owners of files and tests">
      <Form action="Save" submit={submit} done="Saved" disabled={locked || draft === path_owners}>
        <TextArea
          label="Rules"
          hint="As in a CODEOWNERS file: a path and its owners per line; the last matching line counts. A path matches the file of a failure or the name of a test. Members are recognized by their email address or by their name in a connected tool, such as @kim. Tests show their owners; automatic assignment gives breakages to the only owner of the failing file."
          placeholder={'* @build-team\n/Source/Audio/ @kim\nProject/Maps/ maps@studio.example'}
          rows={4}
          maxLength={PATH_OWNERS_MAX}
          disabled={locked}
          value={draft}
          onChange={setDraft}
        />
      </Form>
    </Section>
  )
}
