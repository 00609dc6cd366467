import type { Jobs } from '../../db/queue.ts'
import { enqueueIssue, issueSubject } from '../../domain/breakages/fixed-issues.ts'
import * as store from '../../domain/integrations/write-backs.ts'
import { abilitiesOf } from '../providers/servers.ts'
import { NotListed, reach } from '../reach/reach.ts'
import { BUSY_S, claimed, type Outside, pauseIfOurs, unlessRefusedWith } from './claimed.ts'

/** Tells the issue of a breakage's task that the breakage is fixed, in one comment, and moves the issue if the project chose a state for that. */
export async function writeBackIssue(
  outside: Outside & { site: string },
  payload: Jobs['write_back_issue'],
  signal?: AbortSignal,
) {
  const { db, allowed, site } = outside
  const { account_id, integration_id, breakage_id, key } = payload
  const found = await issueSubject(db, payload)
  const tool = found && abilitiesOf(found.provider).issues
  if (!tool) return
  if (tool.repositoryOf(found.config, found.page) === undefined) return
  const located = { url: found.page, issue: key }
  const config = await reach({ ...outside, signal }, found, located).catch((error: unknown) => {
    if (error instanceof NotListed) return undefined
    throw error
  })
  if (config === undefined) return
  const at = tool.open(config, allowed, signal)
  const issue = { key, page: found.page }
  const breakage = `${site}/projects/${found.project_id}/breakages/${breakage_id}`
  const named = (name: string) => ({ account_id, integration_id, subject: `issue ${key} ${name} ${breakage_id}` })
  const isFixed = found.state === 'fixed'
  const text = isFixed
    ? `Goldmaster: this breakage is fixed${shownChange(found.fixed_by)}: ${breakage}`
    : `Goldmaster: this breakage has reopened: ${breakage}`

  const comment = named('comment')
  const writeComment = () =>
    claimed(db, comment, async ({ sent, unsure, remote_id, gone }, claim) => {
      const isFirst = sent === '' && !unsure
      if (gone || (text === sent && !unsure) || (isFirst && !isFixed)) return
      try {
        const known = remote_id ?? (unsure ? await at.findComment(issue, breakage) : undefined)
        await store.noteUnsure(db, claim)
        if (known !== undefined) await at.editComment(issue, known, text)
        await store.noteSent(db, claim, text, known ?? (await at.createComment(issue, text)))
      } catch (error) {
        // Somebody deleted the comment or the issue.
        unlessRefusedWith([400, 404])(error)
        await store.noteSent(db, claim, '', null, true)
      }
    })

  /** Once for each fix: a person may move it back. */
  const move = named('state')
  const state = typeof config.done_state === 'string' ? config.done_state.trim() : ''
  const moveIssue = () =>
    claimed(db, move, async ({ sent }, claim) => {
      if (sent === String(found.occurrence)) return
      // A workflow may ask for a field: then a person has to move it.
      await at.finish(issue, state).catch(unlessRefusedWith([400, 404, 409]))
      await store.noteSent(db, claim, String(found.occurrence))
    })

  try {
    const isWritten = (await writeComment()) && (!isFixed || state === '' || (await moveIssue()))
    if (!isWritten) await enqueueIssue(db, found, payload, BUSY_S)
  } catch (error) {
    await pauseIfOurs(db, found, located, error)
  }
}

/** A changelist or commit; any other identifier could be markup. */
const shownChange = (identifier: string | null) =>
  identifier !== null && /^[0-9a-f]{1,40}$/i.test(identifier) ? ` by ${identifier.slice(0, 12)}` : ''
