import type { Jobs } from '../../db/queue.ts'
import { enqueueIssue, issueSubject } from '../../domain/breakages/fixed-issues.ts'
import { openConfig } from '../../domain/integrations/config.ts'
import * as store from '../../domain/integrations/write-backs.ts'
import { Refused } from '../providers/ci-replies.ts'
import { TRACKER_WRITE_BACKS } from '../providers/write-backs.ts'
import { BUSY_S, claimed, type Outside, unlessRefusedWith } from './claimed.ts'

/** Tells the issue of a breakage's task that the breakage is fixed, in one comment, and moves the issue if the project chose a state for that. */
export async function writeBackIssue(
  { db, vault, allowed, site }: Outside & { site: string },
  payload: Jobs['write_back_issue'],
  signal?: AbortSignal,
) {
  const { account_id, integration_id, breakage_id, key } = payload
  const found = await issueSubject(db, payload)
  const tool = found && TRACKER_WRITE_BACKS[found.provider]
  if (!tool) return
  const config = openConfig(vault, found)
  if (tool.repositoryOf(config, found.page) === undefined) return
  const at = tool.open(config, allowed, signal)
  const issue = { key, page: found.page }
  const breakage = `${site}/projects/${found.project_id}/breakages/${breakage_id}`
  const named = (name: string) => ({ account_id, integration_id, subject: `issue ${key} ${name} ${breakage_id}` })
  const isFixed = found.state === 'fixed'
  const text = isFixed
    ? `Goldmaster: the breakage is fixed${shownChange(found.fixed_by)}: ${breakage}`
    : `Goldmaster: the breakage was fixed, but is not any more: ${breakage}`

  const comment = named('comment')
  const writeComment = () =>
    claimed(db, comment, async ({ sent, unsure, remote_id, gone }) => {
      const isFirst = sent === '' && !unsure
      if (gone || (text === sent && !unsure) || (isFirst && !isFixed)) return
      try {
        const known = remote_id ?? (unsure ? await at.findComment(issue, breakage) : undefined)
        await store.noteUnsure(db, comment)
        if (known !== undefined) await at.editComment(issue, known, text)
        await store.noteSent(db, comment, text, known ?? (await at.createComment(issue, text)))
      } catch (error) {
        // Somebody deleted the comment or the issue.
        unlessRefusedWith([400, 404])(error)
        await store.noteSent(db, comment, '', null, true)
      }
    })

  /** Once for each fix: a person may move it back. */
  const move = named('state')
  const state = typeof config.done_state === 'string' ? config.done_state.trim() : ''
  const moveIssue = () =>
    claimed(db, move, async ({ sent }) => {
      if (sent === String(found.occurrence)) return
      // A workflow may ask for a field: then a person has to move it.
      await at.finish(issue, state).catch(unlessRefusedWith([400, 404, 409]))
      await store.noteSent(db, move, String(found.occurrence))
    })

  try {
    const isWritten = (await writeComment()) && (!isFixed || state === '' || (await moveIssue()))
    if (!isWritten) await enqueueIssue(db, found, payload, BUSY_S)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    await store.pauseWriteBack(db, payload, error.message)
  }
}

/** A changelist or commit; any other identifier could be markup. */
const shownChange = (identifier: string | null) =>
  identifier !== null && /^[0-9a-f]{1,40}$/i.test(identifier) ? ` by ${identifier.slice(0, 12)}` : ''
