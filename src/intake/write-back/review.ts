import type { Database } from '../../db/database.ts'
import * as store from '../../domain/integrations/write-backs.ts'
import { shelfVerdict } from '../../domain/investigations/public-texts.ts'
import { testRun } from '../build-origin.ts'
import { claimed, unlessRefusedWith } from './claimed.ts'
import type { RunResult, WritableReviews } from './server.ts'

const VOTES = { passed: 'up', failed_by_change: 'down', failed_not_by_change: 'clear', unknown: 'clear' } as const

/** A failure of the branch is not this change's, and a test run knows no third result: its message says so. Without a verdict it goes on. */
const RESULTS = { passed: 'pass', failed_by_change: 'fail', failed_not_by_change: 'pass', unknown: 'running' } as const

/** P4 Code Review shows no more. */
const MESSAGES_MAX = 10

interface Pages {
  pageOf(id: string): string
  /** The address of a test run, if its server sent one. */
  addressOf(subject: string): Promise<string | undefined>
}

/**
 * Votes on the review of a shelf and keeps one comment there. A shelf keeps its number while its content changes: what was built before the
 * newest version says nothing about it. False if another job is writing it.
 */
export async function writeReview(
  db: Database,
  at: WritableReviews,
  build: store.WriteBackSubject,
  { pageOf, addressOf }: Pages,
): Promise<boolean> {
  const { account_id, integration_id, shelf, project_id } = build
  const found = await shelfVerdict(db, build, shelf, pageOf)
  const review = found && (await at.find(shelf))
  if (!review || review.versions.some((version) => version > found.since)) return true
  const subject = (name: string) => ({ account_id, integration_id, subject: `review ${review.id} ${name} ${project_id}` })
  const { verdict, settled, text } = found
  const version = review.versions.length
  const [comment, vote] = [subject('comment'), subject('vote')]
  const isCommented = await claimed(db, comment, async ({ sent, unsure, remote_id, gone }, claim) => {
    if (gone || (text === sent && !unsure)) return
    try {
      const known = remote_id ?? (unsure ? await at.findComment(review.id, '**Goldmaster**') : undefined)
      await store.noteUnsure(db, claim)
      if (known !== undefined) await at.editComment(known, text)
      await store.noteSent(db, claim, text, known ?? (await at.createComment(review.id, text)))
    } catch (error) {
      // Somebody deleted the comment or the review.
      unlessRefusedWith([404])(error)
      await store.noteSent(db, claim, '', null, true)
    }
  })
  const run = await reportRun(db, at, { account_id, integration_id, subject: testRun(shelf, version) }, addressOf, {
    status: settled ? RESULTS[verdict] : 'running',
    messages: found.lines.slice(0, MESSAGES_MAX),
    url: pageOf(found.build_id),
  })
  if (!isCommented || !run || !settled) return isCommented && run
  return claimed(db, vote, async ({ sent, unsure }, claim) => {
    const wanted = `${VOTES[verdict]} ${version}`
    if ((sent === '' && VOTES[verdict] === 'clear') || (sent === wanted && !unsure)) return
    await store.noteUnsure(db, claim)
    // A review that is archived or whose version is gone takes no votes.
    await at.vote(review.id, VOTES[verdict], version).catch(unlessRefusedWith([400, 404, 422]))
    await store.noteSent(db, claim, wanted)
  })
}

/** The result of the test run of this version, if the review has one. */
async function reportRun(
  db: Database,
  at: WritableReviews,
  subject: store.Subject,
  addressOf: Pages['addressOf'],
  result: RunResult,
): Promise<boolean> {
  const address = await addressOf(subject.subject)
  if (address === undefined) return true
  return claimed(db, subject, async ({ sent, unsure }, claim) => {
    const text = JSON.stringify(result)
    if (text === sent && !unsure) return
    await store.noteUnsure(db, claim)
    // The test run is gone, or somebody ended it.
    await at.report(address, result).catch(unlessRefusedWith([400, 401, 403, 404, 409, 410, 422]))
    await store.noteSent(db, claim, text)
  })
}
