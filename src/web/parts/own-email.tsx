import { TextField } from './field.tsx'

/** The address somebody is known by here; browsers fill it in beside the password. */
export const OwnEmail = ({ value, onChange }: { value: string; onChange(value: string): void }) => (
  <TextField
    label="E-mail"
    type="email"
    autoComplete="username"
    required
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
)
