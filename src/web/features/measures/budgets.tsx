import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { budgetWords, grownWords, rangeWords } from '../../../contract/labels/budget-words.ts'
import { measureWords } from '../../../contract/labels/measure-words.ts'
import { useApi, useWrite } from '../../queries.ts'
import { changePage } from '../../record-pages.ts'
import { useMay } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useReport } from '../../ui/toast.tsx'
import { BudgetDialog } from './budget-dialog.tsx'
import { seriesSearch } from './series-words.tsx'

type Answer = AppReply<'listMeasureBudgets'>
type Budget = Answer['budgets'][number]
type Alert = Answer['alerts'][number]

/** The budgets of a project; leads can add and remove them. */
export function Budgets({ projectId }: { projectId: string }) {
  const { data } = useApi('listMeasureBudgets', { project_id: projectId })
  const mayEdit = useMay('lead')
  const [adding, setAdding] = useState(false)
  const write = useWrite('setMeasureBudgets', ['listMeasureBudgets', 'listMeasures'])
  const report = useReport()
  if (!data) return null
  const { budgets } = data
  const save = (next: readonly Budget[]) => write.mutateAsync({ project_id: projectId, body: { budgets: [...next] } })
  const remove = (budget: Budget) => void report(save(budgets.filter((one) => one !== budget)), 'Budget removed')
  return (
    <Section title="Budgets">
      {budgets.length === 0 ? (
        <p className="text-sm text-soft">
          A budget limits a measure, or its growth over the build that is live in a store. Leads and chat channels are notified
          when it is exceeded.
        </p>
      ) : (
        <>
          {data.unmatched_patterns.length > 0 && (
            <Notice kind="warn">No branch matches {data.unmatched_patterns.join(', ')}.</Notice>
          )}
          <Table
            caption="Budgets"
            rows={budgets}
            keyOf={(budget) => JSON.stringify(budget)}
            columns={columnsOf(mayEdit, remove)}
          />
        </>
      )}
      {mayEdit && (
        <div>
          <Button onClick={() => setAdding(true)}>Add a budget</Button>
        </div>
      )}
      {adding && <BudgetDialog add={(budget) => save([...budgets, budget])} onClose={() => setAdding(false)} />}
    </Section>
  )
}

const columnsOf = (mayEdit: boolean, remove: (budget: Budget) => void): Column<Budget>[] => [
  {
    head: 'Measure',
    className: 'w-full',
    cell: ({ measure, job, branch, platform, configuration }) => (
      <>
        <span className="wrap-anywhere font-medium">{measure}</span>
        <span className="block wrap-anywhere text-xs text-soft">
          {[platform, configuration, job, branch].filter(Boolean).join(' · ') || 'every job, branch, platform and configuration'}
        </span>
      </>
    ),
  },
  { head: 'Budget', className: 'min-w-40', cell: (budget) => budgetWords(budget) },
  ...(mayEdit ? [{ head: 'Change', cell: (budget: Budget) => <Button onClick={() => remove(budget)}>Remove</Button> }] : []),
]

/** The measures that are over their budget or no longer come, with what is known about why. */
export function Alerts({ projectId }: { projectId: string }) {
  const { data } = useApi('listMeasureBudgets', { project_id: projectId })
  return (
    <>
      {data?.alerts.map((alert) => (
        <Notice key={alert.id} kind="warn">
          <AlertText projectId={projectId} alert={alert} />
        </Notice>
      ))}
      {data?.has_more && <p className="text-sm text-soft">More measures are over their budget: the list shows which.</p>}
    </>
  )
}

function AlertText({ projectId, alert }: { projectId: string; alert: Alert }) {
  const words = (value: number | null) => measureWords({ value: value ?? 0, unit: alert.unit })
  const since = rangeWords(alert.range)
  const only = alert.range?.changes[0]
  return (
    <>
      <Link
        to="/projects/$projectId/measures/trend"
        params={{ projectId }}
        search={seriesSearch(alert) as never}
        className="font-medium underline"
      >
        {[alert.name, alert.platform, alert.configuration].filter(Boolean).join(' ')}
      </Link>{' '}
      {alert.branch && `on ${alert.branch} `}
      {alert.kind === 'missing'
        ? 'no longer comes.'
        : `is ${words(alert.value)}, over its budget of ${words(alert.allowed)}${since === undefined ? '.' : ', since '}`}
      {alert.kind === 'exceeded' &&
        since !== undefined &&
        (alert.change_id !== null && only ? (
          <>
            <Link {...changePage(projectId, only.id)} className="underline">
              {only.display_identifier}
            </Link>
            .
          </>
        ) : (
          `${since}.`
        ))}
      {alert.grown.length > 0 && <span className="block">Grew most: {alert.grown.map(grownWords).join(', ')}.</span>}
    </>
  )
}
