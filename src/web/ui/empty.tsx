import type { ReactNode } from 'react'

/** An empty state: what is missing and how to get it. */
export const Empty = ({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) => (
  <div className="grid justify-items-center gap-2 rounded-lg border border-dashed border-line px-6 py-12 text-center">
    <p className="font-medium">{title}</p>
    {children && <p className="max-w-prose text-sm text-soft">{children}</p>}
    {action}
  </div>
)
