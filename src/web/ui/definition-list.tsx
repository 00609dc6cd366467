import type { ReactNode } from 'react'

type Item = readonly [term: string, value: ReactNode]

/** Terms and values inside a section; below each other on a narrow screen. */
export const DefinitionList = ({ items }: { items: readonly Item[] }) => (
  <dl className="grid grid-cols-2 gap-x-6 gap-y-3 text-sm lg:grid-cols-4">{items.map(definition)}</dl>
)

/** The same as a card at the top of a page. Terms without a value are left out. */
export const DefinitionCard = ({ items }: { items: readonly Item[] }) => (
  <dl className="grid grid-cols-2 gap-x-4 gap-y-3 rounded-lg border border-line bg-panel p-4 text-sm sm:grid-cols-3 lg:grid-cols-5">
    {items.filter(([, value]) => value !== '' && value !== false && value !== null && value !== undefined).map(definition)}
  </dl>
)

const definition = ([term, value]: Item) => (
  <div key={term} className="grid min-w-0 content-start gap-0.5">
    <dt className="text-xs text-soft">{term}</dt>
    <dd className="min-w-0 wrap-anywhere tabular-nums">{value}</dd>
  </div>
)
