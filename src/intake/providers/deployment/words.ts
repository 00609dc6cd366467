import type { DeploymentStatus } from '../../../contract/sets.ts'
import { statusAfterUpload } from '../../../contract/spellings/stores.ts'

/** `uploaded` is not a status: the next one depends on whether the store reviews. */
type Meaning = DeploymentStatus | 'uploaded'

const WORDS: Record<Meaning, string> = {
  pending: 'created queued scheduled requested waiting draft new',
  submitted: 'submit submitted_for_review waiting_for_review ready_for_review review_requested',
  uploading: 'upload_started upload processing processing_started started running in_progress deploying',
  uploaded: 'upload_completed upload_complete upload_finished upload_succeeded processed processing_completed',
  in_review: 'review_started review reviewing under_review',
  approved: 'accepted review_approved review_passed review_completed certified ready_for_release pending_release',
  // Also for uploads withdrawn before release, as in the stores.
  rejected:
    'failed failure error denied upload_failed processing_failed review_rejected review_failed deploy_failed ' +
    'cancelled canceled aborted withdrawn',
  live:
    'released published deployed release publish went_live go_live set_live available promoted ' +
    'completed complete succeeded success finished rolled_out rollout_completed',
  rolled_back: 'rollback rollback_completed reverted unpublished taken_down removed halted',
}

const MEANINGS = new Map<string, Meaning>(
  (Object.keys(WORDS) as Meaning[]).flatMap((meaning) =>
    [meaning, ...WORDS[meaning].split(' ')].map((word): [string, Meaning] => [word, meaning]),
  ),
)

/** `Upload started`, `build.uploaded` and `deployment-released` are all recognized; undefined for an unknown word. */
export function statusOf(event: string, store: string): { status: DeploymentStatus; uploaded?: true } | undefined {
  const word = event
    .trim()
    .toLowerCase()
    .replace(/[\s.:/-]+/g, '_')
  const meaning = MEANINGS.get(word) ?? MEANINGS.get(word.replace(/^(?:deployment|deploy|build|release|version|app)_/, ''))
  if (meaning === undefined) return undefined
  if (meaning !== 'uploaded') return { status: meaning }
  return { status: statusAfterUpload(store), uploaded: true }
}
