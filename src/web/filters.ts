import { useNavigate, useSearch } from '@tanstack/react-router'

type Filters<Name extends string> = Record<Name, string>

/**
 * `const [{ status }, filter] = useFilters('status')`: the filters of a list are in the URL, so that they survive going back and can be
 * shared. An empty value is no filter.
 */
export function useFilters<Name extends string>(
  ...names: Name[]
): [values: Filters<Name>, filter: (change: Partial<Filters<Name>>) => void] {
  const navigate = useNavigate()
  const said = useSearch({ strict: false }) as Partial<Record<string, string>>
  const values = Object.fromEntries(names.map((name) => [name, said[name] ?? ''])) as Filters<Name>
  const filter = (change: Partial<Filters<Name>>) => {
    const kept = Object.entries<string | undefined>({ ...values, ...change }).filter(([, value]) => value)
    void navigate({ to: '.', search: Object.fromEntries(kept) as never, replace: true })
  }
  return [values, filter]
}
