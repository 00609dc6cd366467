import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTitle } from '../title.ts'
import { Icon } from './icon.tsx'
import { inOrder } from './reading-order.ts'

interface Props {
  title: string
  /** Buttons and filters next to the title. */
  actions?: ReactNode
  children: ReactNode
}

/** The list of a record, by name and path. */
type Up = readonly [name: string, to: string]

/** The frame of every page below the layout: the link to its list if there is one, one heading, and the title of the tab. */
export function Page({ title, up, actions, children }: Props & { up?: Up }) {
  useTitle(title)
  return (
    <div className="mx-auto grid w-full max-w-6xl grid-cols-1 content-start gap-4 px-4 py-5 md:px-8">
      <div className="grid grid-cols-1 gap-1">
        {up && <WayUp to={up[1]}>{up[0]}</WayUp>}
        <header className="flex flex-wrap items-center justify-between gap-3">
          <h1 className="wrap-anywhere min-w-0 text-xl font-semibold tracking-tight">
            <bdi>{inOrder(title)}</bdi>
          </h1>
          {actions && <div className="flex min-w-0 flex-wrap items-center gap-2">{actions}</div>}
        </header>
      </div>
      {children}
    </div>
  )
}

/** The link from a record to its list, also where the sidebar is hidden. */
export const WayUp = ({ to, children, here }: { to: string; children: string; here?: string }) => (
  <nav aria-label="Breadcrumb" className="text-sm text-soft">
    <Link to={to} className="inline-flex items-center gap-1 hover:underline">
      {!here && <Icon name="right" className="size-3.5 rotate-180" />}
      {children}
    </Link>
    {here && ` / ${here}`}
  </nav>
)

/** A titled part of a page. */
export const Section = ({ title, actions, children }: Props) => (
  <section className="grid grid-cols-1 gap-3 rounded-lg border border-line bg-panel p-4">
    <div className="flex flex-wrap items-center justify-between gap-2">
      <h2 className="font-semibold">{title}</h2>
      {actions}
    </div>
    {children}
  </section>
)
