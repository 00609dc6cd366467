import { type ComponentProps, type ReactNode, useId } from 'react'

const BOX =
  'w-full rounded-md border border-strong-line bg-panel px-2.5 text-sm text-ink placeholder:text-faint disabled:opacity-60'

interface Around {
  label: string
  hint?: ReactNode
}

/** The properties of an element, but `onChange` gets the new value instead of an event. */
type FieldProps<Element extends 'input' | 'select' | 'textarea', Value = string> = Around &
  Omit<ComponentProps<Element>, 'onChange'> & { onChange?: (value: Value) => void }

const Frame = ({ id, label, hint, children }: Around & { id: string; children: ReactNode }) => (
  <div className="grid gap-1">
    <label htmlFor={id} className="text-sm font-medium">
      {label}
    </label>
    {children}
    {hint && (
      <p id={`${id}-hint`} className="text-xs text-soft">
        {hint}
      </p>
    )}
  </div>
)

const tied = (id: string, hint: ReactNode) => ({ id, 'aria-describedby': hint ? `${id}-hint` : undefined })

export function TextField({ label, hint, className = '', onChange, ...rest }: FieldProps<'input'>) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint}>
      <input
        {...tied(id, hint)}
        {...rest}
        onChange={(event) => onChange?.(event.target.value)}
        className={`${BOX} h-9 ${className}`}
      />
    </Frame>
  )
}

export function TextArea({ label, hint, className = '', onChange, ...rest }: FieldProps<'textarea'>) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint}>
      <textarea
        {...tied(id, hint)}
        rows={5}
        {...rest}
        onChange={(event) => onChange?.(event.target.value)}
        className={`${BOX} py-2 ${className}`}
      />
    </Frame>
  )
}

type Choice = FieldProps<'select'> & { options: readonly (readonly [value: string, label: string])[] }

export function Select({ label, hint, options, className = '', onChange, ...rest }: Choice) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint}>
      <select
        {...tied(id, hint)}
        {...rest}
        onChange={(event) => onChange?.(event.target.value)}
        className={`${BOX} h-9 ${className}`}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Frame>
  )
}

export function Checkbox({ label, hint, onChange, ...rest }: FieldProps<'input', boolean>) {
  const id = useId()
  return (
    <div className="flex gap-2">
      <input
        type="checkbox"
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        {...rest}
        onChange={(event) => onChange?.(event.target.checked)}
        className="mt-1 size-4 accent-accent"
      />
      <div>
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-xs text-soft">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}

/** A small select above a list; the label is for screen readers. */
export function Filter({ label, options, onChange, ...rest }: Choice) {
  return (
    <select
      aria-label={label}
      {...rest}
      onChange={(event) => onChange?.(event.target.value)}
      className="h-8 max-w-48 min-w-0 sm:max-w-56 truncate rounded-md border border-line bg-panel px-2 text-sm text-ink"
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
}
