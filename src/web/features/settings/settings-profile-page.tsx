import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { NAME_MAX } from '../../../contract/limits.ts'
import { auth, wordsOf } from '../../api.ts'
import { connection } from '../../connection.ts'
import { useWrite } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { setTheme, useTheme } from '../../theme.ts'
import { Button } from '../../ui/form/button.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { Checkbox, Select, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { chooseDateStyle, chosenDateStyle, type DateStyle } from '../../ui/text/dates.ts'
import { DeleteMe } from '../export-delete/delete-me.tsx'
import { useMailing } from '../sign-in/mailing.ts'
import { NewPassword } from '../sign-in/new-password.tsx'

export default function SettingsProfile() {
  return (
    <Page title="Profile">
      <You />
      <Address />
      <Password />
      <Look />
      <DeleteMe />
    </Page>
  )
}

function You() {
  const { user, accounts } = useMe()
  const [name, setName, clear] = useDraft('display name', user.name)
  const [account, setAccount] = useState(String(user.default_account_id ?? ''))
  const edit = useWrite('editMe', ['showMe', 'listPeople'])
  const submit = async () => {
    await edit.mutateAsync({ body: { name, ...(account ? { default_account_id: Number(account) } : {}) } })
    clear()
  }
  const same = name === user.name && account === String(user.default_account_id ?? '')
  return (
    <Section title="Display name and account">
      <Form action="Save" submit={submit} done="Saved" disabled={same}>
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField
            label="Display name"
            hint="Visible to people in your accounts. The API, command line and assistants never show it."
            required
            maxLength={NAME_MAX}
            autoComplete="name"
            value={name}
            onChange={setName}
          />
          {accounts.length > 1 && (
            <Select
              label="Default account"
              hint="The account whose feed and settings open first."
              options={accounts.map(({ id, name }) => [String(id), name] as const)}
              value={account}
              onChange={setAccount}
            />
          )}
        </div>
      </Form>
    </Section>
  )
}

function Address() {
  const { user } = useMe()
  const mailing = useMailing()
  const [sent, setSent] = useState<'sending' | 'sent' | Error>()
  const send = async () => {
    setSent('sending')
    await auth('/send-verification-email', { email: user.email }).then(
      () => setSent('sent'),
      (error: Error) => setSent(error),
    )
  }
  return (
    <Section
      title="Email"
      actions={user.email_verified ? <Pill kind="ok">Confirmed</Pill> : <Pill kind="warn">Not confirmed</Pill>}
    >
      <p className="break-all text-sm">{user.email}</p>
      {!user.email_verified && (
        <div>
          <Button busy={sent === 'sending'} disabled={sent === 'sent'} onClick={send}>
            {mailing === false ? 'Create a new link' : 'Resend link'}
          </Button>
        </div>
      )}
      {sent === 'sent' && (
        <Notice kind="ok">
          {mailing === false
            ? 'This service can’t send email. Ask its operator for the link: it is listed under Settings, Emails.'
            : 'Sent. Open the link in the email to confirm your address.'}
        </Notice>
      )}
      {sent instanceof Error && <Notice kind="err">{wordsOf(sent)}</Notice>}
    </Section>
  )
}

function Password() {
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const [revokeTokens, setRevoke] = useState(true)
  const change = useWrite('changePassword', ['listSessions', 'listTokens'])
  const submit = async () => {
    await change.mutateAsync({
      body: { current_password: currentPassword, new_password: newPassword, revoke_tokens: revokeTokens },
    })
    // A request with the former session was told that it is over.
    connection.signedIn()
    setCurrent('')
    setNew('')
  }
  return (
    <Section title="Password">
      <Form
        action="Change password"
        submit={submit}
        done="Password changed. You are signed out everywhere else."
        disabled={currentPassword === '' || newPassword === ''}
      >
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField
            label="Current password"
            type="password"
            autoComplete="current-password"
            required
            value={currentPassword}
            onChange={setCurrent}
          />
          <NewPassword
            label="New password"
            also="You are signed out of all other browsers."
            value={newPassword}
            onChange={setNew}
          />
        </div>
        <Checkbox
          label="Revoke my API tokens"
          hint="Programs that use them need new ones. Leave this on if somebody else may know the old password."
          checked={revokeTokens}
          onChange={setRevoke}
        />
      </Form>
      <p className="text-sm text-soft">
        To see where you are signed in, open{' '}
        <Link to="/settings/sessions" className="underline">
          Sessions
        </Link>
        .
      </p>
    </Section>
  )
}

const THEMES = ['system', 'light', 'dark'] as const

const DATE_STYLES = [
  ['browser', 'Browser default'],
  ['day-first', 'Day first'],
  ['month-first', 'Month first'],
  ['iso', 'Year first: 2026-01-31'],
] as const satisfies readonly (readonly [DateStyle, string])[]

function Look() {
  const [dates, setDates] = useState(chosenDateStyle)
  const theme = useTheme()
  return (
    <Section title="Appearance">
      <fieldset className="flex flex-wrap gap-4">
        <legend className="sr-only">Appearance</legend>
        {THEMES.map((value) => (
          <label key={value} className="flex items-center gap-2 text-sm capitalize">
            <input
              type="radio"
              name="theme"
              className="size-4 accent-accent"
              checked={theme === value}
              onChange={() => setTheme(value)}
            />
            {value}
          </label>
        ))}
      </fieldset>
      <Select
        label="Dates"
        hint="Applies to this device only."
        options={DATE_STYLES}
        value={dates}
        onChange={(value) => {
          chooseDateStyle(value as DateStyle)
          setDates(chosenDateStyle())
        }}
      />
    </Section>
  )
}
