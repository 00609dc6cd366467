import type { ReactNode } from 'react'

/** Names and values inside a section; stacked if there is little space. */
export const Figures = ({ figures }: { figures: (readonly [name: string, value: ReactNode])[] }) => (
  <dl className="grid grid-cols-2 gap-x-6 gap-y-3 text-sm lg:grid-cols-4">
    {figures.map(([name, value]) => (
      <div key={name} className="grid content-start gap-0.5">
        <dt className="text-xs text-soft">{name}</dt>
        <dd className="min-w-0 break-words tabular-nums">{value}</dd>
      </div>
    ))}
  </dl>
)
