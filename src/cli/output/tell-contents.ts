import type { Contents } from '../../contract/shapes.ts'
import type { Output } from '../../terminal/output.ts'
import { field } from '../../terminal/table.ts'

/** The changes between two builds as a table. */
export function tellContents({ changes, doubtful, basis, has_more }: Contents, out: Output): void {
  if (basis === 'time') out.note('The branch is not known: these came in the time between, whatever their branch.')
  if (basis === 'unknown') out.note('Not known: what was built has not arrived, or the CI did not name it.')
  else if (changes.length === 0) out.note('No changes: the earlier one holds them all.')
  else
    out.table(changes, [
      'id',
      { title: 'change', cell: (change) => change.display_identifier },
      'author',
      { title: 'description', cell: (change) => change.description.split('\n', 1)[0]!, main: true },
      field('timestamp', 'time'),
    ])
  if (doubtful.length > 0)
    out.note(`May have been replaced by a forced push: ${doubtful.map((change) => change.display_identifier).join(', ')}`)
  if (has_more) out.note('There are more: goldmaster changes list --branch shows all.')
}
