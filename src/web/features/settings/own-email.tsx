import { TextField } from '../../ui/form/field.tsx'

interface Props {
  value: string
  onChange(value: string): void
  /** Read-only. */
  fixed?: boolean
}

/** The user's email address; browsers fill it in next to the password. */
export const OwnEmail = ({ value, onChange, fixed = false }: Props) => (
  <TextField label="Email" type="email" autoComplete="username" required readOnly={fixed} value={value} onChange={onChange} />
)
