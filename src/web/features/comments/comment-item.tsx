import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { COMMENT_MAX } from '../../../contract/limits.ts'
import { REACTIONS } from '../../../contract/sets.ts'
import { useMay, useMe, useNames } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'
import { Time } from '../../ui/text/time.tsx'
import { Attachments } from './attachments.tsx'
import { withNames } from './comment-text.ts'
import { type Comment, type Commented, useCommentEdits } from './queries.ts'

interface Props {
  on: Commented
  comment: Comment
  locked: boolean
}

export function CommentItem({ on, comment, locked }: Props) {
  const nameOf = useNames()
  const [editing, setEditing] = useState(false)
  const { body, deleted_at, edited_at, former_bodies, via_token, asset_version, point } = comment
  const ref = useRef<HTMLLIElement>(null)
  // A search result leads to its comment, which is loaded after the page.
  const isNamed = useLocation({ select: ({ hash }) => hash === `comment-${comment.id}` })
  useEffect(() => {
    if (isNamed) ref.current?.scrollIntoView({ block: 'center' })
  }, [isNamed])
  return (
    <li
      ref={ref}
      id={`comment-${comment.id}`}
      className={`grid grid-cols-1 gap-1.5 border-l-2 pl-3 ${isNamed ? 'border-accent' : 'border-line'}`}
    >
      <div className="flex flex-wrap items-baseline gap-x-2 text-xs text-soft">
        <span className="text-sm font-medium text-ink">
          {comment.user_id === null ? 'Former member' : nameOf(comment.user_id)}
        </span>
        <Time at={comment.created_at} />
        {via_token && <span>with an API token</span>}
        {asset_version !== null && (
          <span>
            on {point && 'a point of '}version {asset_version}
          </span>
        )}
        {edited_at && !deleted_at && <span>edited</span>}
      </div>
      {body === null ? (
        <p className="text-sm text-soft italic">Deleted</p>
      ) : editing ? (
        <EditComment on={on} comment={comment} close={() => setEditing(false)} />
      ) : (
        <Markdown text={withNames(body, nameOf)} projectId={on.projectId} />
      )}
      <Attachments projectId={on.projectId} attachments={comment.attachments} />
      {former_bodies.length > 0 && (
        <details className="text-xs text-soft">
          <summary>Former texts</summary>
          <ol className="mt-1 grid grid-cols-1 gap-2">
            {former_bodies.map((former) => (
              <li key={former.written_at} className="wrap-anywhere whitespace-pre-wrap">
                <Time at={former.written_at} />: {withNames(former.body, nameOf)}
              </li>
            ))}
          </ol>
        </details>
      )}
      {body !== null && !editing && <Actions on={on} comment={comment} locked={locked} edit={() => setEditing(true)} />}
    </li>
  )
}

function Actions({ on, comment, locked, edit }: Props & { edit: () => void }) {
  const me = useMe().user.id
  const leads = useMay('lead')
  const nameOf = useNames()
  const { remove, react } = useCommentEdits(on)
  const mine = comment.user_id === me
  return (
    <div className="flex flex-wrap items-center gap-1">
      {comment.reactions.map(({ reaction, user_ids }) => (
        <Button
          key={reaction}
          look={user_ids.includes(me) ? 'plain' : 'quiet'}
          disabled={locked}
          aria-pressed={user_ids.includes(me)}
          title={user_ids.map(nameOf).join(', ')}
          onClick={() => void react(comment, reaction, !user_ids.includes(me))}
        >
          {reaction} {user_ids.length}
        </Button>
      ))}
      {!locked && (
        <Menu name="React" label="☺+" className="h-8 rounded-md px-2 text-sm text-soft hover:bg-hover hover:text-ink">
          <div className="flex">
            {REACTIONS.map((reaction) => (
              <Button
                key={reaction}
                look="quiet"
                aria-label={`React with ${reaction}`}
                onClick={() => void react(comment, reaction, true)}
              >
                {reaction}
              </Button>
            ))}
          </div>
        </Menu>
      )}
      {!locked && mine && (
        <Button look="quiet" onClick={edit}>
          Edit
        </Button>
      )}
      {!locked && (mine || leads) && (
        <Confirm
          label="Delete"
          look="quiet"
          title="Delete comment"
          action="Delete comment"
          run={() => remove(comment)}
          done="Comment deleted"
        >
          The text, its former texts and its attachments are deleted permanently.
        </Confirm>
      )}
    </div>
  )
}

function EditComment({ on, comment, close }: { on: Commented; comment: Comment; close: () => void }) {
  const [body, setBody] = useState(comment.body ?? '')
  const { edit } = useCommentEdits(on)
  const submit = async () => {
    await edit(comment, body.trim())
    close()
  }
  return (
    <Form
      action="Save"
      submit={submit}
      done="Comment saved"
      disabled={body.trim() === ''}
      beside={<Button onClick={close}>Cancel</Button>}
    >
      <TextArea label="Comment" rows={3} maxLength={COMMENT_MAX} value={body} onChange={setBody} />
    </Form>
  )
}
