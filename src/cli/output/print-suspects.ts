import { isCarriedOver, writerWords } from '../../contract/change-origin.ts'
import { shownSuspects } from '../../contract/labels/shown-suspects.ts'
import type { Investigation } from '../../contract/shapes.ts'
import type { Call } from '../program/call.ts'

type Suspect = Investigation['suspects'][number]
type Telling = Pick<Call, 'client' | 'project' | 'out'>

/** The user of the token, to say “you”; unknown if the token may not ask. */
export const ownIdOf = ({ client }: Pick<Call, 'client'>): Promise<number | undefined> =>
  client.ping({}).then(
    ({ user_id }) => user_id,
    () => undefined,
  )

/** A change of which only what the suspect itself says is known: a token without access to changes, or a deleted change. */
const unread = ({ author, display_identifier, change_id }: Suspect) => ({
  author: author ?? 'unknown author',
  description: '',
  display_identifier: display_identifier ?? `change ${change_id}`,
})

/** The author as the tool names them, or “you”. A member who wrote a change that another one integrated is only known by id. */
const writerOf = (change: { author: string; description: string }, { user_id }: Suspect, own: number | undefined) =>
  writerWords(
    change,
    user_id === null ? undefined : user_id === own ? 'you' : isCarriedOver(change) ? `user:${user_id}` : undefined,
  )

const changeOf = ({ client, project }: Telling, suspect: Suspect) =>
  client.showChange({ project_id: project, id: String(suspect.change_id) }).catch(() => unread(suspect))

/** The user to whom a failure is attributed, with the name of their change. */
export async function attributedTo({ attributed_user_id, suspects }: Investigation, call: Telling): Promise<string | null> {
  if (attributed_user_id === null) return null
  const id = `user:${attributed_user_id}`
  if (attributed_user_id === (await ownIdOf(call))) return `you (${id})`
  const suspect = suspects.find(({ user_id }) => user_id === attributed_user_id)
  const change = suspect && (await changeOf(call, suspect))
  return change && !isCarriedOver(change) && change.author ? `${change.author} (${id})` : id
}

/** The suspected changes of a build, most likely first, each with its author and its reasons. Changes without evidence are not shown. */
export async function printSuspects(candidates: Investigation['suspects'], call: Telling) {
  if (candidates.length === 0) return
  const suspects = shownSuspects(candidates)
  const { out } = call
  const own = suspects.length === 0 ? undefined : await ownIdOf(call)
  const rows = await Promise.all(
    suspects.map(async (suspect) => {
      const change = await changeOf(call, suspect)
      const subject = change.description.split('\n', 1)[0] ?? ''
      return { ...suspect, change: change.display_identifier, author: writerOf(change, suspect, own), subject }
    }),
  )
  if (!out.forPeople)
    return out.section('Suspects', rows, ['change_id', 'change', 'user_id', 'author', 'score', 'subject', 'reasons'])
  out.line()
  out.title('Suspects')
  if (rows.length === 0) out.line('None. No change has clear evidence against it.')
  for (const row of rows) {
    const score = `${row.score.toFixed(2)}  `
    out.item(score, `${row.change} by ${row.author}${row.subject && `: ${row.subject}`}  (change ${row.change_id})`)
    for (const reason of row.reasons) out.item(' '.repeat(score.length), reason, 'dim')
  }
}
