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
  /** It has a secret already. */
  isKnown?: boolean
}

/** What every channel has: a name, its secret, and for a bot its room. */
export function ChannelFields({ kind, draft: { name, secret, room }, onChange, isKnown = false }: Props) {
  const isBot = CHANNEL_KIND_TABLE[kind].secret === 'token'
  return (
    <>
      <TextField
        label="Name"
        hint="As your team calls the room."
        placeholder="#builds"
        required
        maxLength={NAME_MAX}
        autoComplete="off"
        value={name}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <TextField
        label={isBot ? 'Bot token' : 'Address of the webhook'}
        hint={
          isKnown
            ? 'Leave it empty to keep the one that is saved, which is never shown.'
            : 'Whoever has it can post there: it is kept sealed and never shown again.'
        }
        placeholder={GUIDES[kind].placeholder}
        required={!isKnown}
        maxLength={URL_MAX}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        value={secret}
        onChange={({ target }) => onChange({ secret: target.value })}
      />
      {isBot && (
        <TextField
          label="Channel id"
          hint="At the end of the channel's details in Slack; not its name."
          placeholder="C024BE91L"
          required
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          value={room}
          onChange={({ target }) => onChange({ room: target.value })}
        />
      )}
    </>
  )
}
