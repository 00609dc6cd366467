import { useEffect, useRef, useState } from 'react'
import { COMMENT_MAX } from '../../../contract/limits.ts'
import { useLocked } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { CommentItem } from '../comments/comment-item.tsx'
import { withMention } from '../comments/comment-text.ts'
import { Mention } from '../comments/comments.tsx'
import { type Commented, useComment, useCommentEdits } from '../comments/queries.ts'
import { type Point, rootOf, type Thread } from './points.ts'

interface Props {
  on: Commented
  version: number
  threads: readonly Thread[]
  selected: Point | null
  select(point: Point | null): void
  /** A point without a comment yet. */
  draft: Point | null
  endDraft(): void
}

/** The points of a version with their comments, and a field for a new one. */
export function ThreadPanel({ on, version, threads, selected, select, draft, endDraft }: Props) {
  const open = threads.filter(({ resolved }) => !resolved)
  const resolved = threads.filter((thread) => thread.resolved)
  if (threads.length === 0 && !draft) return null
  const listOf = (some: readonly Thread[], name: string) => (
    <ol aria-label={name} className="grid grid-cols-1 gap-3">
      {some.map((thread) => (
        <ThreadItem
          key={thread.number}
          on={on}
          version={version}
          thread={thread}
          isSelected={isAt(selected, thread.point)}
          select={select}
        />
      ))}
    </ol>
  )
  return (
    <div className="grid grid-cols-1 content-start gap-3">
      {draft && <NewPoint key={`${draft.x},${draft.y}`} on={on} version={version} point={draft} done={endDraft} />}
      {threads.length > 0 && <h3 className="text-sm font-semibold">Points on version {version}</h3>}
      {open.length > 0 && listOf(open, `Points on version ${version}`)}
      {resolved.length > 0 && (
        <details open={resolved.some(({ point }) => isAt(selected, point)) || undefined} className="text-sm">
          <summary className="text-soft">{resolved.length} resolved</summary>
          <div className="mt-2">{listOf(resolved, `Resolved points on version ${version}`)}</div>
        </details>
      )}
    </div>
  )
}

const isAt = (one: Point | null, other: Point) => one?.x === other.x && one.y === other.y

function ThreadItem({
  on,
  version,
  thread,
  isSelected,
  select,
}: Pick<Props, 'on' | 'version' | 'select'> & { thread: Thread; isSelected: boolean }) {
  const locked = useLocked()
  const { resolve } = useCommentEdits(on)
  const [replying, setReplying] = useState(false)
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isSelected) item.current?.scrollIntoView({ block: 'nearest' })
  }, [isSelected])
  const { number, comments, resolved, point } = thread
  return (
    <li
      ref={item}
      className={`grid grid-cols-1 gap-2 rounded-md border p-3 ${isSelected ? 'border-accent bg-accent-wash' : 'border-line'}`}
    >
      <div className="flex flex-wrap items-center justify-between gap-2">
        <button
          type="button"
          aria-pressed={isSelected}
          onClick={() => select(isSelected ? null : point)}
          className="text-sm font-medium hover:underline"
        >
          Point {number}
        </button>
        {locked === undefined && (
          <span className="flex gap-1">
            <Button look="quiet" onClick={() => setReplying(!replying)} aria-expanded={replying}>
              Reply
            </Button>
            <Button look="quiet" onClick={() => void resolve(rootOf(comments)!, !resolved)}>
              {resolved ? 'Open again' : 'Resolve'}
            </Button>
          </span>
        )}
      </div>
      <ol aria-label={`Comments on point ${number}`} className="grid grid-cols-1 gap-3">
        {comments.map((comment) => (
          <CommentItem key={comment.id} on={on} comment={comment} locked={locked !== undefined} />
        ))}
      </ol>
      {replying && (
        <Write
          on={on}
          version={version}
          point={point}
          label={`Reply to point ${number}`}
          action="Reply"
          done={() => setReplying(false)}
        />
      )}
    </li>
  )
}

const NewPoint = ({ on, version, point, done }: Pick<Props, 'on' | 'version'> & { point: Point; done(): void }) => (
  <div className="rounded-md border border-accent p-3">
    <Write on={on} version={version} point={point} label={`New point on version ${version}`} action="Comment" done={done} />
  </div>
)

interface WriteProps extends Pick<Props, 'on' | 'version'> {
  point: Point
  label: string
  action: string
  done(): void
}

function Write({ on, version, point, label, action, done }: WriteProps) {
  const [body, setBody] = useState('')
  const { comment } = useComment(on)
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => form.current?.querySelector('textarea')?.focus(), [])
  const submit = async () => {
    await comment(body.trim(), { asset_version: version, point })
    done()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut; the button does the same
    <div ref={form} onKeyDown={(event) => event.key === 'Escape' && done()}>
      <Form
        action={action}
        submit={submit}
        disabled={body.trim() === ''}
        beside={
          <>
            <Mention projectId={on.projectId} mention={(userId) => setBody(withMention(body, userId))} />
            <Button onClick={done}>Cancel</Button>
          </>
        }
      >
        <TextArea label={label} rows={2} maxLength={COMMENT_MAX} value={body} onChange={setBody} />
      </Form>
    </div>
  )
}
