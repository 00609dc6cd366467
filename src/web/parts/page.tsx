import { type ReactNode, useEffect } from 'react'

interface Props {
  title: string
  /** Buttons and filters beside the title. */
  actions?: ReactNode
  children: ReactNode
}

/** The frame of every page below the layout: one heading, and the tab called like it. */
export function Page({ title, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Goldmaster`
  }, [title])
  return (
    <div className="mx-auto grid w-full max-w-6xl content-start gap-4 px-4 py-5 md:px-8">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="min-w-0 text-xl font-semibold tracking-tight">{title}</h1>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A titled part of a page. */
export const Section = ({ title, actions, children }: Props) => (
  <section className="grid gap-3 rounded-lg border border-line bg-panel p-4">
    <div className="flex flex-wrap items-center justify-between gap-2">
      <h2 className="font-semibold">{title}</h2>
      {actions}
    </div>
    {children}
  </section>
)
