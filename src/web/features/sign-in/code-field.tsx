import { TextField } from '../../ui/form/field.tsx'

/** For a code of an authenticator app or a recovery code, which is longer; browsers offer known ones. */
export const CodeField = ({ value, onChange, hint }: { value: string; onChange(value: string): void; hint: string }) => (
  <TextField
    label="Code"
    hint={hint}
    autoComplete="one-time-code"
    required
    minLength={6}
    maxLength={60}
    value={value}
    onChange={onChange}
  />
)
