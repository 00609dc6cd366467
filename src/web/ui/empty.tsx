import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { integrationsPage } from '../record-pages.ts'
import { Button, buttonClass } from './form/button.tsx'

/** An empty state: what is missing and how to get it. */
export const Empty = ({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) => (
  <div className="grid justify-items-center gap-2 rounded-lg border border-dashed border-line px-6 py-12 text-center">
    <p className="font-medium">{title}</p>
    {children && <p className="max-w-prose text-sm text-soft">{children}</p>}
    {action}
  </div>
)

interface NoRecordsProps {
  /** The records in the plural: `builds`. */
  of: string
  filtered: boolean
  onClear(): void
  /** The label of the link to the integrations, which report these records. */
  connect: string
  children: ReactNode
}

/** The empty state of a project's list: no record matches the filters, or no tool has reported any yet. */
export function NoRecords({ of, filtered, onClear, connect, children }: NoRecordsProps) {
  const { projectId = '' } = useParams({ strict: false })
  if (filtered)
    return (
      <Empty title={`No matching ${of}`} action={<Button onClick={onClear}>Show all {of}</Button>}>
        No {of} in this project match your filters.
      </Empty>
    )
  const link = (
    <Link {...integrationsPage(projectId)} className={buttonClass()}>
      {connect}
    </Link>
  )
  return (
    <Empty title={`No ${of} yet`} action={link}>
      {children}
    </Empty>
  )
}
