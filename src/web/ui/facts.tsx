import type { ReactNode } from 'react'

/** Names and values in two columns; unknown values are left out. */
export const Facts = ({ of }: { of: [name: string, value: ReactNode][] }) => (
  <dl className="grid grid-cols-2 gap-x-4 gap-y-3 rounded-lg border border-line bg-panel p-4 sm:grid-cols-3 lg:grid-cols-5">
    {of
      .filter(([, value]) => value !== '' && value !== false && value !== null && value !== undefined)
      .map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-xs text-soft">{name}</dt>
          <dd className="mt-0.5 wrap-anywhere text-sm">{value}</dd>
        </div>
      ))}
  </dl>
)
