import { useIsFetching } from '@tanstack/react-query'
import { useState } from 'react'
import { COMMENT_MAX } from '../../../contract/limits.ts'
import { useAssignees, useLocked } from '../../session.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { Filter, TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Failed } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { AttachButton, ChosenFiles, DropArea, useFiles } from './attachments.tsx'
import { CommentItem } from './comment-item.tsx'
import { withMention } from './comment-text.ts'
import { type Commented, useComment, useComments } from './queries.ts'

/** The comments on a record, oldest first, with a field for a new one. */
export function Comments(on: Commented) {
  const { data, error, refetch } = useComments(on)
  const locked = useLocked()
  const isShown = useSettled()
  if (!isShown || (!data && !error)) return null
  const comments = data?.comments.toReversed() ?? []
  return (
    <Section title="Comments">
      {error && <Failed error={error} retry={() => void refetch()} />}
      {data?.pagination.has_more && <p className="text-sm text-soft">Only the newest {comments.length} comments are shown.</p>}
      {data && comments.length === 0 && locked && <p className="text-sm text-soft">No comments yet.</p>}
      {comments.length > 0 && (
        <ol aria-label="Comments" className="grid grid-cols-1 gap-4">
          {comments.map((comment) => (
            <CommentItem key={comment.id} on={on} comment={comment} locked={locked !== undefined} />
          ))}
        </ol>
      )}
      {locked === undefined && <NewComment {...on} />}
    </Section>
  )
}

/** Whether everything else on the page has been loaded once: what appears above the comments would move them. */
function useSettled(): boolean {
  const isLoading = useIsFetching({ predicate: ({ state }) => state.status === 'pending' }) > 0
  const [isSettled, setSettled] = useState(false)
  if (!isLoading && !isSettled) setSettled(true)
  return isSettled
}

function NewComment(on: Commented) {
  const [body, setBody, clear] = useDraft(`comment on ${on.subject} ${on.id}`, '')
  const { files, add, set } = useFiles()
  const { comment, attach } = useComment(on)
  const submit = async () => {
    const { id } = await comment(body.trim() || files.map(({ name }) => name).join(', '))
    setBody('')
    clear()
    for (const [i, file] of files.entries()) {
      // The comment is written: what could not be attached stays chosen for another one.
      set(files.slice(i))
      await attach(id, file)
    }
    set([])
  }
  return (
    <Form
      action="Comment"
      submit={submit}
      disabled={body.trim() === '' && files.length === 0}
      beside={
        <>
          <Mention projectId={on.projectId} mention={(userId) => setBody(withMention(body, userId))} />
          <AttachButton add={add} />
        </>
      }
    >
      <DropArea add={add}>
        <TextArea
          label="New comment"
          hint="Markdown. Drop or paste files to attach them."
          rows={3}
          maxLength={COMMENT_MAX}
          value={body}
          onChange={setBody}
        />
        <ChosenFiles files={files} set={set} />
      </DropArea>
    </Form>
  )
}

/** Adds a person who sees the project to the text. */
export function Mention({ projectId, mention }: { projectId: string; mention: (userId: string) => void }) {
  const { data } = useAssignees(projectId)
  const people = data?.people.map(({ user_id, name }) => [String(user_id), name] as const) ?? []
  return (
    <Filter
      label="Mention somebody"
      value=""
      onChange={(userId) => userId && mention(userId)}
      options={[['', '@ Mention'], ...people]}
    />
  )
}
