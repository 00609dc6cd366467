import { SHARE_DAYS, SHARE_DAYS_MAX } from '../../../contract/limits.ts'
import type { ReplyOf } from '../../../contract/routes.ts'
import { Failure, usage } from '../../../terminal/failures.ts'
import { main } from '../../../terminal/table.ts'
import { command } from '../../program/command.ts'
import { matching, uploadedTo } from './artifacts.ts'

type ShareLink = ReplyOf<'revokeShareLink'>

const readDays = (text: string) => {
  if (!/^\d{1,2}$/.test(text) || Number(text) < 1 || Number(text) > SHARE_DAYS_MAX)
    throw usage(`--days needs a number from 1 to ${SHARE_DAYS_MAX}.`)
  return Number(text)
}
const by = { title: 'by', cell: ({ user_id }: ShareLink) => `user:${user_id}` }
const web = ({ project, args }: { project: string; args: { build: string } }) => `/projects/${project}/builds/${args.build}`

export const share = command({
  name: 'share',
  summary: 'Create download links for artifacts that need no sign-in',
  project: true,
  web,
  args: { build: { help: 'Id of the build' } },
  flags: {
    name: { help: "Only files with this name, such as '*.zip'", value: 'glob' },
    days: {
      help: `Days until the links expire, at most ${SHARE_DAYS_MAX} (default: ${SHARE_DAYS})`,
      value: 'number',
      read: readDays,
    },
  },
  shows: { route: 'createShareLink' },
  details: 'A link is shown once. It stops working when you lose access to the project.',
  examples: ["builds share 54 --name '*.zip'", 'builds share 54 --days 2'],
  async run({ client, project, args, flags, out }) {
    const wanted = (await uploadedTo(client, project, args.build, flags.name)).filter(matching(flags.name))
    if (wanted.length === 0) throw new Failure('No matching artifact was uploaded.')
    const share_links: ReplyOf<'createShareLink'>[] = []
    for (const { id } of wanted)
      share_links.push(
        await client.createShareLink({
          project_id: project,
          build_run_id: args.build,
          body: { artifact_id: id, ...(flags.days !== undefined && { days: flags.days }) },
        }),
      )
    out.answer({ share_links }, () => {
      for (const { artifact_name, url, expires_at } of share_links) out.say(`${artifact_name}  ${url}  until ${expires_at}`)
    })
  },
})

export const shareLinks = command({
  name: 'share-links',
  summary: 'List the share links of a build that are still valid',
  project: true,
  web,
  args: { build: { help: 'Id of the build' } },
  flags: {},
  shows: { route: 'listShareLinks', rows: 'share_links' },
  examples: ['builds share-links 54'],
  async run({ client, project, args, out }) {
    const found = await client.listShareLinks({ project_id: project, build_run_id: args.build })
    out.answer(found, () => {
      if (found.share_links.length === 0)
        out.note(`No share links. To create one, run: goldmaster builds share ${args.build} --name GLOB`)
      else out.table(found.share_links, ['id', main('artifact_name', 'artifact'), by, 'created_at', 'expires_at'])
    })
  },
})

export const unshare = command({
  name: 'unshare',
  summary: 'Revoke a share link',
  project: true,
  web: ({ project }) => `/projects/${project}/builds`,
  args: { link: { help: 'Id of the share link' } },
  flags: {},
  shows: { route: 'revokeShareLink' },
  examples: ['builds unshare 3'],
  async run({ client, project, args, out }) {
    const revoked = await client.revokeShareLink({ project_id: project, id: args.link })
    out.answer(revoked, () => out.say(`Share link of ${revoked.artifact_name} revoked.`))
  },
})
