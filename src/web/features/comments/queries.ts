import type { AppReply } from '../../../contract/app/routes.ts'
import { MAX_LIMIT } from '../../../contract/params.ts'
import type { CommentSubject } from '../../../contract/sets.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useAssignees } from '../../session.ts'

export type Comment = AppReply<'editComment'>

const ROUTES = {
  task: { list: 'listTaskComments', create: 'createTaskComment', id: 'id' },
  build_run: { list: 'listBuildComments', create: 'createBuildComment', id: 'build_run_id' },
  breakage: { list: 'listBreakageComments', create: 'createBreakageComment', id: 'id' },
  change: { list: 'listChangeComments', create: 'createChangeComment', id: 'id' },
  asset: { list: 'listAssetComments', create: 'createAssetComment', id: 'asset_id' },
  deployment: { list: 'listDeploymentComments', create: 'createDeploymentComment', id: 'id' },
} as const satisfies Record<CommentSubject, { list: string; create: string; id: string }>

/** A commented record. */
export interface Commented {
  subject: CommentSubject
  projectId: string
  id: string
}

const argsOf = ({ subject, projectId, id }: Commented) => ({ project_id: projectId, [ROUTES[subject].id]: id })

/** The newest comments on a record, and the people to mention. A page calls it with its other queries, so that all load together. */
export function useComments(on: Commented) {
  useAssignees(on.projectId)
  return useApi(ROUTES[on.subject].list, { ...argsOf(on), query: { limit: String(MAX_LIMIT) } } as never, {
    enabled: on.id !== '',
  })
}

/** Where on an asset a comment is. */
interface Place {
  asset_version?: number
  point?: NonNullable<Comment['point']>
}

/** Writes a comment on a record, and attaches files to it. */
export function useComment(on: Commented) {
  const { list, create } = ROUTES[on.subject]
  const write = useWrite(create, [list])
  const upload = useWrite('attachToComment', [list])
  return {
    comment: (body: string, place: Place = {}) =>
      write.mutateAsync({ ...argsOf(on), body: { body, ...place } } as never) as Promise<Comment>,
    attach: (id: number, file: File) =>
      upload.mutateAsync({ project_id: on.projectId, id: String(id), query: { name: file.name }, body: file }),
  }
}

/** Changes of comments that exist. */
export function useCommentEdits({ subject, projectId }: Commented) {
  const lists = [ROUTES[subject].list]
  const edit = useWrite('editComment', lists)
  const remove = useWrite('deleteComment', lists)
  const resolve = useWrite('resolveComment', lists)
  const react = useWrite('reactToComment', lists)
  const of = ({ id }: Comment) => ({ project_id: projectId, id: String(id) })
  return {
    edit: (comment: Comment, body: string) => edit.mutateAsync({ ...of(comment), body: { body } }),
    remove: (comment: Comment) => remove.mutateAsync(of(comment)),
    resolve: (comment: Comment, resolved: boolean) => resolve.mutateAsync({ ...of(comment), body: { resolved } }),
    react: (comment: Comment, reaction: Comment['reactions'][number]['reaction'], on: boolean) =>
      react.mutateAsync({ ...of(comment), body: { reaction, on } }),
  }
}
