import { TextField } from '../../ui/form/field.tsx'

interface Props {
  value: string
  onChange(value: string): void
  /** Shown, and not to be changed. */
  fixed?: boolean
}

/** The address somebody is known by here; browsers fill it in beside the password. */
export const OwnEmail = ({ value, onChange, fixed = false }: Props) => (
  <TextField label="Email" type="email" autoComplete="username" required readOnly={fixed} value={value} onChange={onChange} />
)
