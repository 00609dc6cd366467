import { CHANNEL_KIND_TABLE, type ChannelKind } from '../../../contract/channels.ts'
import { NAME_MAX, URL_MAX } from '../../../contract/limits.ts'
import { TextField } from '../../ui/form/field.tsx'
import { GUIDES } from './channel-kinds.ts'

export interface ChannelDraft {
  name: string
  secret: string
  room: string
}

interface Props {
  kind: ChannelKind
  draft: ChannelDraft
  onChange(change: Partial<ChannelDraft>): void
  /** It already has a secret. */
  isKnown?: boolean
}

/** The fields of every channel: a name, its secret, and for a bot its room. */
export function ChannelFields({ kind, draft: { name, secret, room }, onChange, isKnown = false }: Props) {
  const isBot = CHANNEL_KIND_TABLE[kind].secret === 'token'
  return (
    <>
      <TextField
        label="Name"
        hint="What your team calls this channel."
        placeholder="#builds"
        required
        maxLength={NAME_MAX}
        autoComplete="off"
        value={name}
        onChange={(name) => onChange({ name })}
      />
      <TextField
        label={isBot ? 'Bot token' : 'Webhook URL'}
        hint={
          isKnown
            ? 'Leave empty to keep the saved one. It is never shown.'
            : 'Anyone who has it can post to the channel. It is stored encrypted and never shown again.'
        }
        placeholder={GUIDES[kind].placeholder}
        required={!isKnown}
        maxLength={URL_MAX}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        value={secret}
        onChange={(secret) => onChange({ secret })}
      />
      {isBot && (
        <TextField
          label="Channel ID"
          hint="Find it in Slack at the bottom of the channel details. It is not the channel name."
          placeholder="C024BE91L"
          required
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          value={room}
          onChange={(room) => onChange({ room })}
        />
      )}
    </>
  )
}
