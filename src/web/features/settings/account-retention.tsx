import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf, TERMS } from '../../../contract/labels.ts'
import { DAYS_MAX, KEPT_BUILDS_MAX } from '../../../contract/limits.ts'
import { RETENTION_KINDS, type RetentionKind } from '../../../contract/sets.ts'
import { useWrite } from '../../queries.ts'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Section } from '../../ui/page.tsx'

const daysOf = (text: string) => (text.trim() === '' ? null : Number(text))

/** For admins. */
export function AccountRetention({ account }: { account: AppReply<'showAccount'> }) {
  const { retention, retention_max } = account
  const [texts, setTexts] = useState(
    () =>
      Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, String(retention[kind] ?? '')])) as Record<RetentionKind, string>,
  )
  const [builds, setBuilds] = useState(String(retention.artifact_builds ?? ''))
  const edit = useWrite('editAccount', ['showAccount'])
  const locked = account.read_only !== null
  const changed = RETENTION_KINDS.filter((kind) => daysOf(texts[kind]) !== retention[kind])
  const areBuildsChanged = daysOf(builds) !== retention.artifact_builds
  const submit = async () => {
    const days = Object.fromEntries(changed.map((kind) => [kind, daysOf(texts[kind])]))
    await edit.mutateAsync({
      account_id: account.id,
      body: { retention: { ...days, ...(areBuildsChanged && { artifact_builds: daysOf(builds) }) } },
    })
  }
  return (
    <Section title="Data retention">
      <p className="max-w-prose text-sm text-soft">
        Data is permanently deleted after this many days. Leave a field empty to use the limit of this service.
      </p>
      <Form action="Save" submit={submit} done="Saved" disabled={locked || (changed.length === 0 && !areBuildsChanged)}>
        <div className="grid items-start gap-4 sm:grid-cols-2 lg:grid-cols-3">
          {RETENTION_KINDS.map((kind) => (
            <TextField
              key={kind}
              label={`${labelOf('retention_kind', kind)} (days)`}
              hint={TERMS.retention_kind[kind].description}
              type="number"
              min={1}
              max={retention_max[kind] ?? DAYS_MAX}
              placeholder={retention_max[kind] === null ? 'no limit' : String(retention_max[kind])}
              disabled={locked}
              value={texts[kind]}
              onChange={(value) => setTexts({ ...texts, [kind]: value })}
            />
          ))}
          <TextField
            label="Artifacts (newest builds)"
            hint="Only this many builds of each job, branch and platform keep their artifacts. The newest passed one and builds that are live in a store always keep theirs."
            type="number"
            min={1}
            max={KEPT_BUILDS_MAX}
            placeholder="all"
            disabled={locked}
            value={builds}
            onChange={setBuilds}
          />
        </div>
      </Form>
    </Section>
  )
}
