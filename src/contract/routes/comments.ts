import { Type } from 'typebox'
import { AssetCommentInput, CommentInput, RECORD_HELP, ReactionInput, RecordCommentInput, ResolvedInput } from '../bodies.ts'
import { flag, instant, integer, nullable, object, oneOf, page, ShortPagination, text } from '../fields.ts'
import * as param from '../params.ts'
import { COMMENT_SUBJECTS, REACTIONS, type Scope } from '../sets.ts'
import { get, patch, post, put, remove, type TokenRoute } from './route.ts'

/** Comments on tasks, builds, breakages, changes, assets and deployments. */

const Attachment = object({
  id: text,
  name: text,
  /** By content, not by name. */
  type: text,
  bytes: integer,
  /** Of pictures. */
  width: nullable(integer),
  height: nullable(integer),
})

/** `<@7>` in the body mentions the user 7. */
export const Comment = object({
  id: integer,
  subject: oneOf(COMMENT_SUBJECTS),
  subject_id: text,
  /** The version of the asset that it is about. */
  asset_version: nullable(integer),
  /** Where on the picture of that version, as shares of its width and height. Comments at the same point are one thread. */
  point: nullable(object({ x: Type.Number(), y: Type.Number() })),
  /** Of a point: when somebody resolved it. */
  resolved_at: nullable(instant),
  /** Null if the user was deleted. */
  user_id: nullable(integer),
  /** Written with an API token, by a script or an assistant. */
  via_token: flag,
  /** Null once it is deleted. */
  body: nullable(text),
  /** Its texts before it was edited, newest first. */
  former_bodies: Type.Array(object({ body: text, written_at: instant })),
  mentioned_user_ids: Type.Array(integer),
  reactions: Type.Array(object({ reaction: oneOf(REACTIONS), user_ids: Type.Array(integer) })),
  /** Downloaded from `/v1/projects/:project_id/files/:id`. */
  attachments: Type.Array(Attachment),
  created_at: instant,
  edited_at: nullable(instant),
  deleted_at: nullable(instant),
})

/** The two routes of each kind of record. */
const listOf = <const P extends string, const S extends Scope>(record: P, scope: S, noun: string) =>
  ({
    ...get,
    path: `/v1/projects/:project_id/${record}/comments`,
    scope,
    summary: `List the comments on ${noun}, newest first`,
    query: { before_id: param.described(param.reference, 'Only comments older than this one'), limit: param.limit },
    shows: ['comment'],
    reply: page('comments', Comment, ShortPagination),
    tool: false,
  }) as const
const createOn = <const P extends string>(record: P, noun: string) =>
  ({
    ...post,
    path: `/v1/projects/:project_id/${record}/comments`,
    scope: 'write:comments',
    summary: `Comment on ${noun}; <@7> mentions the user 7`,
    body: CommentInput,
    reply: Comment,
    created: 201,
    writes: true,
    limited: 'comments',
    tool: false,
  }) as const

export const commentRoutes = {
  listComments: {
    ...get,
    path: '/v1/projects/:project_id/comments',
    scope: 'write:comments',
    summary: 'List the comments of a project, or on one of its records, newest first',
    query: {
      record: param.described(param.text, RECORD_HELP),
      before_id: param.described(param.reference, 'Only comments older than this one'),
      limit: param.limit,
    },
    shows: ['comment'],
    reply: page('comments', Comment, ShortPagination),
  },
  createComment: {
    ...post,
    path: '/v1/projects/:project_id/comments',
    scope: 'write:comments',
    summary: 'Comment on a record of a project; <@7> mentions the user 7',
    body: RecordCommentInput,
    reply: Comment,
    created: 201,
    writes: true,
    limited: 'comments',
  },
  listTaskComments: listOf('tasks/:id', 'read:tasks', 'a task'),
  createTaskComment: createOn('tasks/:id', 'a task'),
  listBuildComments: listOf('build_runs/:build_run_id', 'read:builds', 'a build run'),
  createBuildComment: createOn('build_runs/:build_run_id', 'a build run'),
  listBreakageComments: listOf('breakages/:id', 'read:builds', 'a breakage'),
  createBreakageComment: createOn('breakages/:id', 'a breakage'),
  listChangeComments: listOf('changes/:id', 'read:changes', 'a change'),
  createChangeComment: createOn('changes/:id', 'a change'),
  listAssetComments: listOf('assets/:asset_id', 'read:assets', 'an asset'),
  createAssetComment: { ...createOn('assets/:asset_id', 'an asset or a point of its picture'), body: AssetCommentInput },
  listDeploymentComments: listOf('deployments/:id', 'read:builds', 'a deployment'),
  createDeploymentComment: createOn('deployments/:id', 'a deployment'),
  showComment: {
    ...get,
    path: '/v1/projects/:project_id/comments/:id',
    scope: 'write:comments',
    summary: 'Show a comment',
    shows: ['comment'],
    reply: Comment,
    tool: false,
  },
  editComment: {
    ...patch,
    path: '/v1/projects/:project_id/comments/:id',
    scope: 'write:comments',
    summary: 'Edit your comment; its former texts can still be read',
    body: CommentInput,
    reply: Comment,
    writes: true,
    tool: false,
  },
  deleteComment: {
    ...remove,
    path: '/v1/projects/:project_id/comments/:id',
    scope: 'write:comments',
    summary: 'Delete your comment and its former texts; leads can delete every comment',
    reply: Comment,
    writes: true,
    tool: false,
  },
  attachToComment: {
    ...post,
    path: '/v1/projects/:project_id/comments/:id/attachments',
    scope: 'write:comments',
    summary: 'Attach a file to your comment: its bytes are the body',
    query: { name: param.words('The name of the file') },
    consumes: 'application/octet-stream',
    reply: Comment,
    created: 201,
    writes: true,
    limited: 'comments',
    detached: true,
    tool: false,
  },
  resolveComment: {
    ...put,
    path: '/v1/projects/:project_id/comments/:id/resolved',
    scope: 'write:comments',
    summary: 'Resolve a comment on a point of a picture, or open it again',
    body: ResolvedInput,
    reply: Comment,
    writes: true,
    tool: false,
  },
  reactToComment: {
    ...put,
    path: '/v1/projects/:project_id/comments/:id/reactions',
    scope: 'write:comments',
    summary: 'Add or remove your reaction to a comment',
    body: ReactionInput,
    reply: Comment,
    writes: true,
    unaudited: true,
    tool: false,
  },
} as const satisfies Record<string, TokenRoute>
