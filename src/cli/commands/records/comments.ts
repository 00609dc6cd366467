import { basename } from 'node:path'
import type { Client } from '../../../contract/client.ts'
import { SUBJECT_PAGES } from '../../../contract/event-facts.ts'
import { FILE_MAX } from '../../../contract/limits.ts'
import type { ReplyOf } from '../../../contract/routes.ts'
import { COMMENT_SUBJECTS, type CommentSubject } from '../../../contract/sets.ts'
import type { Noun } from '../../../terminal/command.ts'
import { usage } from '../../../terminal/failures.ts'
import { fileBytes, textOf } from '../../../terminal/given-text.ts'
import { extra, main } from '../../../terminal/table.ts'
import { command } from '../../program/command.ts'
import { limitFlag, USUAL_ROWS } from '../../program/filters.ts'
import { SUMMARIES } from '../../summaries.ts'

type Comment = ReplyOf<'editComment'>
type List = (args: object) => Promise<ReplyOf<'listTaskComments'>>
type Create = (args: object) => Promise<Comment>

/** The routes of each kind of record, and the name of its id in their paths. */
const ROUTES: Record<CommentSubject, { list: keyof Client; create: keyof Client; id: string }> = {
  task: { list: 'listTaskComments', create: 'createTaskComment', id: 'id' },
  build_run: { list: 'listBuildComments', create: 'createBuildComment', id: 'build_run_id' },
  breakage: { list: 'listBreakageComments', create: 'createBreakageComment', id: 'id' },
  change: { list: 'listChangeComments', create: 'createChangeComment', id: 'id' },
  asset: { list: 'listAssetComments', create: 'createAssetComment', id: 'asset_id' },
  deployment: { list: 'listDeploymentComments', create: 'createDeploymentComment', id: 'id' },
}

const RECORD = {
  kind: { help: 'Kind of the record', values: COMMENT_SUBJECTS },
  id: { help: 'Id of the record' },
} as const
const TEXT = { help: 'Text in Markdown, or - for standard input; <@7> mentions the user 7' } as const
const pageOf = ({ project, args }: { project: string; args: { kind: CommentSubject; id: string } }) =>
  `/projects/${project}/${SUBJECT_PAGES[args.kind]}/${args.id}`

const list = command({
  name: 'list',
  summary: 'List the comments on a record, newest first',
  project: true,
  args: RECORD,
  flags: limitFlag,
  web: pageOf,
  shows: { route: 'listTaskComments', rows: 'comments' },
  examples: ['comments list task 1', 'comments list breakage $(goldmaster breakages list --pick "[0].id") --limit 5'],
  async run({ client, project, args, flags, out }) {
    const { list, id } = ROUTES[args.kind]
    const page = await (client[list] as unknown as List)({
      project_id: project,
      [id]: args.id,
      query: { limit: String(flags.limit ?? USUAL_ROWS) },
    })
    out.answer(page, () => {
      if (page.comments.length === 0)
        out.note(`No comments yet. To write one, run: goldmaster comments add ${args.kind} ${args.id} TEXT`)
      else out.table(page.comments, ['id', by, main('body'), at, files, extra('resolved_at'), extra('edited_at'), 'created_at'])
    })
  },
})

const files = {
  title: 'attachments',
  cell: ({ attachments }: Comment) => attachments.map(({ name }) => name).join(', '),
}

/** As `comments add --at` takes it. */
const at = {
  title: 'at',
  cell: ({ point, asset_version }: Comment) => point && `v${asset_version} ${point.x},${point.y}`,
}

const by = { title: 'by', cell: ({ user_id }: Comment) => user_id && `user:${user_id}` }

const readPoint = (text: string) => {
  const [x, y, ...more] = text.split(',').map((share) => (share.trim() === '' ? Number.NaN : Number(share)))
  if (more.length > 0 || ![x, y].every((share) => share !== undefined && share >= 0 && share <= 1))
    throw usage('--at needs two numbers from 0 to 1, such as 0.4,0.7.')
  return { x: x!, y: y! }
}
const readVersion = (text: string) => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw usage('--version needs the number of a version, such as 3.')
  return Number(text)
}

const add = command({
  name: 'add',
  summary: 'Comment on a record',
  project: true,
  args: { ...RECORD, text: TEXT },
  flags: {
    attach: { help: 'File to attach; repeat for more', value: 'file', many: true },
    at: {
      help: 'Of an asset: a point of its picture, as shares of width and height, such as 0.4,0.7',
      value: 'x,y',
      read: readPoint,
    },
    version: {
      help: 'Of an asset: the version that the comment is about (default: the newest)',
      value: 'number',
      read: readVersion,
    },
  },
  web: pageOf,
  shows: { route: 'createTaskComment' },
  details: `Files have at most ${FILE_MAX / 1_000_000} MB. Personal data such as the place of a photo is removed from pictures.`,
  examples: [
    'comments add task 1 "Waits for the new SDK"',
    'comments add breakage 12 - < notes.md',
    'comments add task 1 "Too dark" --attach before.png --attach after.png',
    'comments add asset 3f2c7a10-0000-4000-8000-000000000001 "The seam shows here" --at 0.4,0.7',
  ],
  async run({ client, project, args, flags, out }) {
    const { create, id } = ROUTES[args.kind]
    // Read before the comment is written: a wrong name leaves no comment without its files.
    const files = (flags.attach ?? []).map((path) => ({ name: basename(path), bytes: fileBytes(path) }))
    if (args.kind !== 'asset' && (flags.at || flags.version)) throw usage('--at and --version are only for comments on assets.')
    const body = {
      body: (await textOf(args.text))!,
      ...(flags.at && { point: flags.at }),
      ...(flags.version && { asset_version: flags.version }),
    }
    let made = await (client[create] as unknown as Create)({ project_id: project, [id]: args.id, body })
    for (const { name, bytes } of files)
      made = await client.attachToComment({ project_id: project, id: made.id, query: { name }, body: bytes })
    const count = files.length === 0 ? '' : ` with ${files.length} ${files.length === 1 ? 'attachment' : 'attachments'}`
    out.answer(made, () => out.say(`Comment ${made.id} added${count}.`))
  },
})

const COMMENT = { comment: { help: 'Id of your comment' } } as const
const pageOfComment = async ({ client, project, args }: { client: Client; project: string; args: { comment: string } }) => {
  const { subject, subject_id } = await client.showComment({ project_id: project, id: args.comment })
  return pageOf({ project, args: { kind: subject, id: subject_id } })
}

const edit = command({
  name: 'edit',
  summary: 'Edit your comment',
  project: true,
  args: { ...COMMENT, text: TEXT },
  web: pageOfComment,
  shows: { route: 'editComment' },
  details: 'Its former texts can still be read.',
  examples: ['comments edit 5 "Fixed in CL 4711"'],
  async run({ client, project, args, out }) {
    const body = { body: (await textOf(args.text))! }
    const edited = await client.editComment({ project_id: project, id: args.comment, body })
    out.answer(edited, () => out.say(`Comment ${edited.id} edited.`))
  },
})

const resolve = command({
  name: 'resolve',
  summary: 'Resolve a comment on a point of a picture',
  project: true,
  args: { comment: { help: 'Id of the comment' } },
  flags: { undo: { help: 'Open it again' } },
  web: pageOfComment,
  shows: { route: 'resolveComment' },
  examples: ['comments resolve 5', 'comments resolve 5 --undo'],
  async run({ client, project, args, flags, out }) {
    const body = { resolved: !flags.undo }
    const { id, resolved_at } = await client.resolveComment({ project_id: project, id: args.comment, body })
    out.answer({ id, resolved_at }, () => out.say(`Comment ${id} ${resolved_at === null ? 'opened again' : 'resolved'}.`))
  },
})

const remove = command({
  name: 'delete',
  summary: 'Delete your comment; leads can delete every comment',
  project: true,
  args: COMMENT,
  web: pageOfComment,
  shows: { route: 'deleteComment' },
  examples: ['comments delete 5'],
  async run({ client, project, args, out }) {
    const deleted = await client.deleteComment({ project_id: project, id: args.comment })
    out.answer(deleted, () => out.say(`Comment ${deleted.id} deleted.`))
  },
})

export const comments: Noun = {
  name: 'comments',
  summary: SUMMARIES.comments,
  usual: 'list',
  commands: [list, add, edit, resolve, remove],
}
