import { Link, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { NAME_MAX } from '../../../contract/limits.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useAccount } from '../../session.ts'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { itemClass, Menu } from '../../ui/menu.tsx'

/** The saved views of this list, and saving the current one. */
export function SavedViews() {
  const accountId = useAccount()?.id ?? 0
  const { pathname, searchStr } = useLocation()
  const [saving, setSaving] = useState(false)
  const { data } = useApi('listViews', { account_id: accountId }, { enabled: accountId > 0, stale: 300_000 })
  const forget = useWrite('deleteView', ['listViews'])
  const query = searchStr.replace(/^\?/, '')
  const views = data?.views.filter(({ path }) => path === pathname) ?? []
  const current = views.find((view) => view.query === query)
  return (
    <>
      <Menu
        name="View"
        className={buttonClass()}
        label={
          <>
            <span className="max-w-32 truncate">{current?.name ?? 'Views'}</span> <Icon name="down" className="size-3.5" />
          </>
        }
      >
        {views.map(({ id, name, query }) => (
          <div key={id} className="flex min-w-0 items-center">
            <Link
              to={pathname}
              search={Object.fromEntries(new URLSearchParams(query)) as never}
              className={`${itemClass} min-w-0 flex-1`}
            >
              <span className="truncate">{name}</span>
            </Link>
            <button
              type="button"
              aria-label={`Delete view ${name}`}
              onClick={() => forget.mutate({ account_id: accountId, id })}
              className="rounded p-1.5 text-soft hover:bg-hover"
            >
              <Icon name="close" className="size-3.5" />
            </button>
          </div>
        ))}
        {query === '' ? (
          <p className="px-2 py-1.5 text-xs text-soft">No saved views. Filter the list, then save it as a view.</p>
        ) : (
          <button type="button" onClick={() => setSaving(true)} className={itemClass}>
            <Icon name="plus" className="size-3.5" /> Save view
          </button>
        )}
      </Menu>
      <Dialog title="Save view" open={saving} onClose={() => setSaving(false)}>
        <SaveForm accountId={accountId} path={pathname} query={query} onDone={() => setSaving(false)} />
      </Dialog>
    </>
  )
}

interface Props {
  accountId: number
  path: string
  query: string
  onDone(): void
}

function SaveForm({ accountId, path, query, onDone }: Props) {
  const [name, setName] = useState('')
  const save = useWrite('saveView', ['listViews'])
  const submit = async () => {
    await save.mutateAsync({ account_id: accountId, body: { name: name.trim(), path, query } })
    onDone()
  }
  return (
    <Form action="Save" submit={submit} disabled={name.trim() === ''} beside={<Button onClick={onDone}>Cancel</Button>}>
      <TextField
        label="Name"
        hint="Only you see it. If the name is already used on this page, the view is replaced."
        required
        maxLength={NAME_MAX}
        value={name}
        onChange={setName}
      />
    </Form>
  )
}
