import { useNavigate, useSearch } from '@tanstack/react-router'

type Filters<Name extends string> = Record<Name, string>

/** The value of a filter and how its field changes it. */
interface FilterField {
  value: string
  onChange(value: string): void
}

/**
 * `const [{ status }, filter, fieldOf] = useFilters('status')`: the filters of a list are in the URL, so that they survive going back and
 * can be shared. An empty value is no filter. `<Filter {...fieldOf('status')} />` edits one.
 */
export function useFilters<Name extends string>(
  ...names: Name[]
): [values: Filters<Name>, filter: (change: Partial<Filters<Name>>) => void, fieldOf: (name: Name) => FilterField] {
  const navigate = useNavigate()
  const said = useSearch({ strict: false }) as Partial<Record<string, string>>
  const values = Object.fromEntries(names.map((name) => [name, said[name] ?? ''])) as Filters<Name>
  const filter = (change: Partial<Filters<Name>>) => {
    const kept = Object.entries<string | undefined>({ ...values, ...change }).filter(([, value]) => value)
    void navigate({ to: '.', search: Object.fromEntries(kept) as never, replace: true })
  }
  const fieldOf = (name: Name): FilterField => ({
    value: values[name],
    onChange: (value) => filter({ [name]: value } as Partial<Filters<Name>>),
  })
  return [values, filter, fieldOf]
}
