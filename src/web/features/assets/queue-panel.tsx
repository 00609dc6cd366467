import { Link } from '@tanstack/react-router'
import { roleLabel } from '../../../contract/labels.ts'
import { mayDecide } from '../../../contract/routes/approval-defaults.ts'
import type { Decision } from '../../../contract/sets.ts'
import { assetPage } from '../../record-pages.ts'
import { useMe, useNames, useProject } from '../../session.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { wordsOf } from '../../ui/pill.tsx'
import { countOf } from '../../ui/text/count.ts'
import { Time } from '../../ui/text/time.tsx'
import { reasonOf } from '../approval-rules/rule-words.ts'
import { useCheckedOut } from './checked-out.tsx'
import { Decide } from './decide.tsx'
import { useDecide } from './decisions.ts'
import { chosenOf, isLevel, nameOf, type Waiting } from './queue-lines.ts'
import { QueuePicture } from './queue-picture.tsx'

interface Props {
  projectId: string
  entry: Waiting
  /** Large, above the filmstrip. */
  wide: boolean
  frozen: boolean
}

/** The open entry: the asset, the rule that asks for approval, and the decision. */
export function QueuePanel({ projectId, entry, wide, frozen }: Props) {
  const { asset_id, queue, created_at, asset_version } = entry
  const name = nameOf(entry)
  const refusal = useRefusal(entry)
  const nameOfUser = useNames()
  const checkedOut = useCheckedOut(projectId, asset_id, queue?.can_list_checkouts && !isLevel(entry))
  return (
    <section
      aria-label={`Open: ${name}`}
      className={`grid min-w-0 grid-cols-1 content-start gap-3 rounded-lg border border-line bg-panel p-3 ${wide ? 'md:grid-cols-[minmax(0,1fr)_20rem]' : 'max-lg:order-last max-lg:sticky max-lg:bottom-0 max-lg:z-10 max-lg:shadow-float lg:sticky lg:top-2 lg:max-h-[calc(100vh-1rem)] lg:overflow-y-auto'}`}
    >
      <QueuePicture
        projectId={projectId}
        entry={entry}
        size="large"
        className={`w-full rounded-md ${wide ? 'h-[30vh] md:h-[45vh]' : 'aspect-4/3 max-lg:hidden'}`}
      />
      <div className="grid min-w-0 grid-cols-1 content-start gap-2">
        <h2 className="wrap-anywhere text-sm font-semibold">
          <Link {...assetPage(projectId, asset_id)} className="underline">
            {name}
          </Link>
        </h2>
        <dl className={`grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-xs ${wide ? '' : 'max-lg:hidden'}`}>
          <Fact name="Path">{isLevel(entry) ? queue!.level : entry.asset_path}</Fact>
          <Fact name="Author">{queue?.author}</Fact>
          <Fact name="Version">{isLevel(entry) ? null : asset_version}</Fact>
          <Fact name="Stage">{stageWords(entry)}</Fact>
          <Fact name="Asked by">{reasonOf(queue?.rule ?? null)}</Fact>
          <Fact name="Approved by">{queue?.sign_offs.map(({ user_id }) => nameOfUser(user_id)).join(', ')}</Fact>
          <Fact name="Checked out by">{checkedOut}</Fact>
          <Fact name="Waiting since">
            <Time at={created_at} />
          </Fact>
        </dl>
        {refusal && <p className="text-sm text-soft">{refusal}</p>}
        {!frozen && !refusal && <DecideOne key={asset_id} projectId={projectId} entry={entry} />}
      </div>
    </section>
  )
}

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) =>
  children == null || children === '' ? null : (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="wrap-anywhere min-w-0">{children}</dd>
    </>
  )

const stageOf = ({ queue }: Waiting) => queue?.rule?.stages?.[queue.stage_number]

const stageWords = (entry: Waiting): string => {
  const { approval_stage, queue } = entry
  const count = queue?.rule?.stages?.length ?? 0
  const needed = stageOf(entry)?.approvals ?? 1
  return [
    wordsOf(approval_stage),
    count > 1 && `${queue!.stage_number + 1} of ${count}`,
    needed > 1 && `${countOf(needed, 'approval')} needed`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** Why the user can't decide this stage; undefined if they can. */
function useRefusal(entry: Waiting): string | undefined {
  const { user } = useMe()
  const role = useProject()?.project_role ?? null
  const stage = stageOf(entry)
  if (!stage || isLevel(entry) || mayDecide(stage, { user_id: user.id, project_role: role })) return undefined
  return `The stage ${stage.name} is decided by the ${roleLabel(stage.project_role)} role, or by people named in its approval rule.`
}

/** Keyed by its asset: otherwise the comment on one would become the comment on the next. */
function DecideOne({ projectId, entry }: { projectId: string; entry: Waiting }) {
  const decide = useDecide(projectId)
  const [comment, setComment, clear] = useDraft(`approval ${entry.asset_id}`, '')
  const name = nameOf(entry)
  const onDecide = async (status: Decision) => {
    if (await decide(chosenOf([entry]), name, status, comment)) clear()
  }
  return <Decide name={name} comment={comment} setComment={setComment} onDecide={onDecide} />
}
