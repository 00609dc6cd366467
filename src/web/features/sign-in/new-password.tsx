import { PASSWORD } from '../../../contract/limits.ts'
import { TextField } from '../../ui/form/field.tsx'

interface Props {
  label: string
  /** What else choosing it does. */
  also?: string
  value: string
  onChange(value: string): void
}

/** The field for a new password. */
export const NewPassword = ({ label, also = '', value, onChange }: Props) => (
  <TextField
    label={label}
    hint={`At least ${PASSWORD.minLength} characters. ${also}`.trimEnd()}
    type="password"
    autoComplete="new-password"
    {...PASSWORD}
    required
    value={value}
    onChange={onChange}
  />
)
