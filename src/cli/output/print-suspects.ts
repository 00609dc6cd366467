import { shownSuspects } from '../../contract/labels/shown-suspects.ts'
import type { Investigation } from '../../contract/shapes.ts'
import type { Call } from '../program/call.ts'

type Suspect = Investigation['suspects'][number]
type Telling = Pick<Call, 'client' | 'project' | 'out'>

/** The display name and description of a change; a token without access to changes only gets its number. */
async function named({ client, project }: Telling, { change_id }: Suspect) {
  const change = await client.showChange({ project_id: project, id: String(change_id) }).catch(() => undefined)
  return { change: change?.display_identifier ?? String(change_id), subject: change?.description.split('\n', 1)[0] ?? '' }
}

const authorOf = ({ user_id }: Suspect) => (user_id === null ? 'nobody here' : `user:${user_id}`)

/** The suspected changes of a build, most likely first, each with its reasons. Changes without evidence are not shown. */
export async function printSuspects(candidates: Investigation['suspects'], call: Telling) {
  if (candidates.length === 0) return
  const suspects = shownSuspects(candidates)
  const { out } = call
  const rows = await Promise.all(suspects.map(async (suspect) => ({ ...suspect, ...(await named(call, suspect)) })))
  if (!out.forPeople) return out.section('Suspects', rows, ['change_id', 'change', 'user_id', 'score', 'subject', 'reasons'])
  out.line()
  out.title('Suspects')
  if (rows.length === 0) out.line('None. No change has clear evidence against it.')
  for (const row of rows) {
    const score = `${row.score.toFixed(2)}  `
    out.item(score, `${row.change} by ${authorOf(row)}${row.subject && `: ${row.subject}`}  (change ${row.change_id})`)
    for (const reason of row.reasons) out.item(' '.repeat(score.length), reason, 'dim')
  }
}
