import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../../contract/client.ts'
import { sizeOf } from '../../../contract/labels/size.ts'
import type { ReplyOf } from '../../../contract/routes.ts'
import { Failure, usage } from '../../../terminal/failures.ts'
import { main } from '../../../terminal/table.ts'
import { download as save } from '../../connection/download.ts'
import { command } from '../../program/command.ts'
import { asQuery, filtersOf, limitFlag, USUAL_ROWS } from '../../program/filters.ts'
import { collect } from '../../program/paging.ts'

type Listed = ReplyOf<'listBuildArtifacts'>['artifacts'][number]
/** An uploaded one. */
type Artifact = Listed & { id: string; size_bytes: number }

const size = { title: 'size', cell: ({ size_bytes }: Listed) => (size_bytes === null ? '' : sizeOf(size_bytes)) }
const filters = filtersOf('listBuildArtifacts')

export const artifacts = command({
  name: 'artifacts',
  summary: 'List the artifacts of a build, uploaded ones first',
  project: true,
  pages: true,
  web: ({ project, args }) => `/projects/${project}/builds/${args.build}`,
  args: { build: { help: 'Id of the build' } },
  flags: { ...filters, ...limitFlag },
  shows: { route: 'listBuildArtifacts', rows: 'artifacts' },
  examples: ['builds artifacts 54', "builds artifacts 54 --name '*.zip' --pick '[].url'"],
  async run({ client, project, args, flags, out }) {
    const query = asQuery(filters, flags)
    const page = await collect(
      (paging) => client.listBuildArtifacts({ project_id: project, build_run_id: args.build, query: { ...query, ...paging } }),
      'artifacts',
      flags.limit ?? USUAL_ROWS,
    )
    const rows = page.artifacts as Listed[]
    out.answer(page, () => {
      if (rows.length > 0) out.table(rows, [main('name'), size, 'created_at'])
      else if (query.name !== undefined) out.note('No artifacts match these filters.')
      else out.note('No artifacts. To upload them, run: goldmaster run --artifact GLOB --upload')
      if (page.pagination.has_more) out.note(`There are more. To see them, add --limit ${rows.length * 2}`)
    })
  },
})

/** All uploaded ones, whose bytes the service has; those of one name oldest first: the first is what the build made. */
export async function uploadedTo(client: Client, project: string, build: string, name: string | undefined): Promise<Artifact[]> {
  const { artifacts } = await collect(
    (paging) => client.listBuildArtifacts({ project_id: project, build_run_id: build, query: { name, ...paging } }),
    'artifacts',
    Number.POSITIVE_INFINITY,
  )
  return (artifacts as Listed[]).filter((artifact): artifact is Artifact => artifact.id !== null).reverse()
}

/** Names that Windows takes for devices, whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i

/** Safe on every system, since a folder may be shared: no marks of paths, no hidden file, no device, and no dot or blank that Windows drops. */
const clean = (name: string) => {
  const safe = name
    .replace(/[\p{Cc}\p{Cf}<>:"|?*/\\]/gu, '_')
    .replace(/^[. ]+/, (marks) => '_'.repeat(marks.length))
    .replace(/[. ]+$/, (marks) => '_'.repeat(marks.length))
  return DEVICE.test(safe) ? `_${safe}` : safe || 'artifact'
}
const lastPart = (name: string) => name.replace(/^.*[/\\]/s, '')
const sameFile = (a: string, b: string) => clean(a).toLowerCase() === clean(b).toLowerCase()

/** As the service names a download; never a path. If several would have the same name, their folders become part of it. */
const fileOf = ({ name }: Artifact, wanted: readonly Artifact[]) =>
  clean(wanted.filter((other) => sameFile(lastPart(name), lastPart(other.name))).length > 1 ? name : lastPart(name))

/** Of several uploads of one name the first: what the build made. */
const firstOfEach = (artifacts: readonly Artifact[]) =>
  artifacts.filter((artifact, place) => artifacts.findIndex(({ name }) => name === artifact.name) === place)

/** `*` stands for anything, in any case. */
export const matching = (pattern: string | undefined) => {
  const parts = (pattern ?? '*').split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'))
  const expression = new RegExp(`^${parts.join('.*')}$`, 'is')
  return ({ name }: Artifact) => expression.test(name)
}

export const download = command({
  name: 'download',
  summary: 'Download artifacts of a build, or of the newest passed build',
  project: true,
  args: { build: { help: 'Id of the build; or use --latest', optional: true } },
  flags: {
    latest: { help: 'Newest passed build with matching artifacts; of a branch the newest by position' },
    job: { help: 'With --latest: CI job name', value: 'name' },
    branch: { help: 'With --latest: branch or stream', value: 'name' },
    platform: { help: 'With --latest: target platform, such as Win64', value: 'name' },
    configuration: { help: 'With --latest: build configuration, such as Shipping', value: 'name' },
    name: { help: "Only files with this name, such as '*.zip'", value: 'glob' },
    into: { help: 'Folder for the files (default: the current one)', value: 'folder' },
    force: { help: 'Overwrite files' },
  },
  shows: { route: 'listLatestArtifacts', rows: 'artifacts' },
  web: ({ project, args }) => `/projects/${project}/builds${args.build ? `/${args.build}` : ''}`,
  details: 'An interrupted download leaves FILE.part; the same command continues it.',
  examples: [
    'builds download 54',
    "builds download 54 --name '*.zip' --into Builds",
    'builds download --latest --branch main --platform Win64',
  ],
  async run({ client, site, token, project, args, flags, out }) {
    const { latest, name, into = '.', force, job, branch, platform, configuration } = flags
    if ((args.build !== undefined) === latest)
      throw usage(
        'Name a build, or use --latest. Usage: goldmaster builds download BUILD, or: goldmaster builds download --latest',
      )
    const query = { job, branch, platform, configuration, name, limit: 1 }
    const build =
      args.build ?? (await client.listLatestArtifacts({ project_id: project, query })).artifacts[0]?.build_run_id ?? undefined
    const uploaded = build === undefined ? [] : await uploadedTo(client, project, build, name)
    const wanted = firstOfEach(uploaded.filter(matching(name)))
    if (wanted.length === 0) throw new Failure('No matching artifact was uploaded.')
    mkdirSync(into, { recursive: true })
    const names = wanted.map((artifact) => fileOf(artifact, wanted))
    const twice = names.find((name, place) => names.findIndex((other) => sameFile(name, other)) !== place)
    if (twice !== undefined) throw new Failure(`Several artifacts would be saved as ${twice}. Choose one with --name.`)
    for (const [place, artifact] of wanted.entries()) {
      const file = join(into, names[place]!)
      if (existsSync(file) && !force) throw new Failure(`${file} exists. To overwrite it, add --force.`)
      const url = new URL(`/api/v1/projects/${project}/artifacts/${artifact.id}`, site)
      await save({ url, token, size: artifact.size_bytes, file })
      if (!out.wantsDocument) out.say(`${file}  ${sizeOf(artifact.size_bytes)}`)
    }
    out.answer({ artifacts: wanted }, () => {})
  },
})
