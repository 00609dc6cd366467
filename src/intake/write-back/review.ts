import type { Database } from '../../db/database.ts'
import * as store from '../../domain/integrations/write-backs.ts'
import { shelfVerdict } from '../../domain/investigations/public-texts.ts'
import { claimed, unlessRefusedWith } from './claimed.ts'
import type { WritableReviews } from './server.ts'

const VOTES = { passed: 'up', failed_by_change: 'down', failed_not_by_change: 'clear', unknown: 'clear' } as const

/**
 * Votes on the review of a shelf and keeps one comment there. A shelf keeps its number while its content changes: what was built before the
 * newest version says nothing about it. False if another job is writing it.
 */
export async function writeReview(
  db: Database,
  at: WritableReviews,
  build: store.WriteBackSubject,
  pageOf: (id: string) => string,
): Promise<boolean> {
  const { account_id, integration_id, shelf, project_id } = build
  const found = await shelfVerdict(db, build, shelf, pageOf)
  const review = found && (await at.find(shelf))
  if (!review || review.versions.some((version) => version > found.since)) return true
  const subject = (name: string) => ({ account_id, integration_id, subject: `review ${review.id} ${name} ${project_id}` })
  const { verdict, settled, text } = found
  const version = review.versions.length
  const [comment, vote] = [subject('comment'), subject('vote')]
  const isCommented = await claimed(db, comment, async ({ sent, unsure, remote_id, gone }) => {
    if (gone || (text === sent && !unsure)) return
    try {
      const known = remote_id ?? (unsure ? await at.findComment(review.id, '**Goldmaster**') : undefined)
      await store.noteUnsure(db, comment)
      if (known !== undefined) await at.editComment(known, text)
      await store.noteSent(db, comment, text, known ?? (await at.createComment(review.id, text)))
    } catch (error) {
      // Somebody deleted the comment or the review.
      unlessRefusedWith([404])(error)
      await store.noteSent(db, comment, '', null, true)
    }
  })
  if (!isCommented || !settled) return isCommented
  return claimed(db, vote, async ({ sent, unsure }) => {
    const wanted = `${VOTES[verdict]} ${version}`
    if ((sent === '' && VOTES[verdict] === 'clear') || (sent === wanted && !unsure)) return
    await store.noteUnsure(db, vote)
    // A review that is archived or whose version is gone takes no votes.
    await at.vote(review.id, VOTES[verdict], version).catch(unlessRefusedWith([400, 404, 422]))
    await store.noteSent(db, vote, wanted)
  })
}
