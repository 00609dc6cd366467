import type { Contents } from '../../contract/shapes.ts'
import type { Output } from '../../terminal/output.ts'
import { field } from '../../terminal/table.ts'

/** The changes between two builds as a table. */
export function printContents({ changes, doubtful, basis, has_more }: Contents, out: Output): void {
  if (basis === 'time') out.note('The branch is unknown: these changes of all branches arrived between the two builds.')
  if (basis === 'unknown') out.note('Unknown: the CI did not report the revision, or its change has not arrived yet.')
  else if (changes.length === 0) out.note('No changes: the earlier build already has all of them.')
  else
    out.table(changes, [
      'id',
      { title: 'change', cell: (change) => change.display_identifier },
      'author',
      { title: 'description', cell: (change) => change.description.split('\n', 1)[0]!, main: true },
      field('timestamp', 'time'),
    ])
  if (doubtful.length > 0)
    out.note(`A force push may have replaced: ${doubtful.map((change) => change.display_identifier).join(', ')}`)
  if (has_more) out.note('There are more. To see all, run: goldmaster changes list --branch BRANCH')
}
