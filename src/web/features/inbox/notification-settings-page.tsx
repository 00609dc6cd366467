import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AppArguments, AppReply } from '../../../contract/app/routes.ts'
import { CHAT_VENDORS, DIGEST_HOUR, NEVER_IN_CHAT, NOTIFICATION_KINDS, NOTIFICATION_WAYS } from '../../../contract/channels.ts'
import { labelOf } from '../../../contract/labels.ts'
import { ask, wordsOf } from '../../api.ts'
import { refresh, useApi } from '../../queries.ts'
import { useAccount, useMe } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Checkbox, Select } from '../../ui/form/field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useMailing } from '../sign-in/mailing.ts'

type Preferences = AppReply<'showPreferences'>
type Change = AppArguments<'editPreferences'>['body']

/** Notification preferences: every checkbox is saved on click. */
export default function NotificationSettings() {
  const query = useApi('showPreferences', {})
  // Whether email checkboxes are useful is loaded with them.
  useMailing()
  const save = useSave()
  return (
    <Page title="Notifications">
      <p className="max-w-prose text-sm text-soft">
        Choose how you get notified about what involves you. Changes are saved at once. Owners of the account choose what is
        posted to chat channels.
      </p>
      <Loaded query={query}>
        {(preferences) => (
          <>
            <Kinds preferences={preferences} onChange={save} />
            <Digest preferences={preferences} onChange={save} />
          </>
        )}
      </Loaded>
      <FoundInChat />
    </Page>
  )
}

const KEY = ['showPreferences', {}]

/** Shown at once and saved in the order of the clicks. */
function useSave() {
  const client = useQueryClient()
  const say = useToast()
  const { mutate } = useMutation({
    mutationKey: ['editPreferences'],
    scope: { id: 'preferences' },
    mutationFn: (body: Change) => ask('editPreferences', { body }),
    onError: (error) => say(`Not saved: ${wordsOf(error)}`, 'err'),
    onSettled: () => {
      // The result of an earlier click is not shown.
      if (client.isMutating({ mutationKey: ['editPreferences'] }) === 1) void refresh(client, ['showPreferences'])
    },
  })
  return (change: Change) => {
    void client.cancelQueries({ queryKey: KEY })
    client.setQueryData<Preferences>(KEY, (shown) => shown && merged(shown, change))
    mutate(change)
  }
}

const merged = (shown: Preferences, { kinds = [], ...rest }: Change): Preferences => ({
  ...shown,
  ...rest,
  kinds: shown.kinds.map((row) => kinds.find(({ kind }) => kind === row.kind) ?? row),
})

interface Part {
  preferences: Preferences
  onChange(change: Change): void
}

function Kinds({ preferences: { kinds }, onChange }: Part) {
  const mailing = useMailing()
  const { user } = useMe()
  return (
    <Section title="Personal notifications">
      <div className="overflow-x-auto">
        <table className="w-full border-collapse text-sm">
          <caption className="sr-only">Notifications by event</caption>
          <thead>
            <tr className="border-b border-line text-xs text-soft">
              <th scope="col" className="py-2 pr-3 text-left font-medium">
                Event
              </th>
              {NOTIFICATION_WAYS.map((way) => (
                <th key={way} scope="col" className="px-2 py-2 font-medium">
                  {labelOf('notification_way', way)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {kinds.map((row) => (
              <tr key={row.kind} className="border-b border-line last:border-0">
                <th scope="row" className="py-2 pr-3 text-left font-normal">
                  {NOTIFICATION_KINDS[row.kind]}
                </th>
                {NOTIFICATION_WAYS.map((way) =>
                  way === 'chat' && NEVER_IN_CHAT.includes(row.kind) ? (
                    <td key={way} />
                  ) : (
                    <td key={way} className="text-center">
                      <label className="inline-flex p-2">
                        <span className="sr-only">
                          {NOTIFICATION_KINDS[row.kind]}: {labelOf('notification_way', way)}
                        </span>
                        <input
                          type="checkbox"
                          className="size-4 accent-accent"
                          checked={row[way]}
                          onChange={({ target }) => onChange({ kinds: [{ ...row, [way]: target.checked }] })}
                        />
                      </label>
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {mailing === false && (
        <Notice kind="warn">
          This service can’t send email yet. Your choice applies once its operator sets up a mail server.
        </Notice>
      )}
      {!user.email_verified && <Notice kind="warn">Confirm your email address to get email.</Notice>}
    </Section>
  )
}

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone
const ZONES = [...new Set([OWN_ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone')])].sort()

function Digest({ preferences: { daily_digest, timezone }, onChange }: Part) {
  const account = useAccount()
  const zones = timezone === null || ZONES.includes(timezone) ? ZONES : [timezone, ...ZONES]
  return (
    <Section title="Daily digest">
      <Checkbox
        label="Email me a daily digest"
        hint={`New breakages, fixes, releases and assets waiting for approval in all your projects. Sent at ${DIGEST_HOUR}:00, only if something happened.`}
        checked={daily_digest}
        onChange={(daily_digest) => onChange({ daily_digest })}
      />
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-full max-w-sm">
          <Select
            label="Your time zone"
            options={[
              ['', account ? `${account.timezone} (${account.name})` : 'Same as the account'],
              ...zones.map((zone) => [zone, zone] as const),
            ]}
            value={timezone ?? ''}
            onChange={(value) => onChange({ timezone: value || null })}
          />
        </div>
        {timezone !== OWN_ZONE && (
          <Button onClick={() => onChange({ timezone: OWN_ZONE })}>Use browser time zone: {OWN_ZONE}</Button>
        )}
      </div>
    </Section>
  )
}

const FoundInChat = () => (
  <Section title="Chat mentions">
    <p className="max-w-prose text-sm text-soft">
      A Slack bot finds you by your confirmed email address and can send you direct messages. If you use another address in Slack,
      or another chat service, add your user ID under{' '}
      <Link to="/settings/connected-accounts" className="underline">
        Connected accounts
      </Link>
      : {Object.values(CHAT_VENDORS).join(', ')}. You are pinged only about your suspected changes and breakages assigned to you.
      If you turn off “In chat” for suspected changes, messages name you without a ping.
    </p>
  </Section>
)
