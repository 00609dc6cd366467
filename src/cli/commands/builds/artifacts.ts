import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { sizeOf } from '../../../contract/labels/size.ts'
import type { ReplyOf } from '../../../contract/routes.ts'
import { Failure, usage } from '../../../terminal/failures.ts'
import { main } from '../../../terminal/table.ts'
import { download as save } from '../../connection/download.ts'
import { command } from '../../program/command.ts'

type Artifact = ReplyOf<'listBuildArtifacts'>['artifacts'][number]

const size = { title: 'size', cell: ({ size_bytes }: Artifact) => sizeOf(size_bytes) }

export const artifacts = command({
  name: 'artifacts',
  summary: 'List the uploaded artifacts of a build',
  project: true,
  web: ({ project, args }) => `/projects/${project}/builds/${args.build}`,
  args: { build: { help: 'Id of the build' } },
  flags: {},
  shows: { route: 'listBuildArtifacts', rows: 'artifacts' },
  examples: ['builds artifacts 54', "builds artifacts 54 --pick '[].url'"],
  async run({ client, project, args, out }) {
    const found = await client.listBuildArtifacts({ project_id: project, build_run_id: args.build })
    out.answer(found, () => {
      if (found.artifacts.length === 0)
        out.note('No uploaded artifacts. To upload them, run: goldmaster run --artifact GLOB --upload')
      else out.table(found.artifacts, [main('name'), size, 'created_at'])
    })
  },
})

const clean = (name: string) => name.replace(/[\p{Cc}\p{Cf}<>:"|?*/\\]/gu, '_').replace(/^\.+$/, '_') || 'artifact'
const lastPart = (name: string) => name.replace(/^.*[/\\]/s, '')
const sameFile = (a: string, b: string) => lastPart(a).toLowerCase() === lastPart(b).toLowerCase()

/** As the service names a download; never a path. If several would have the same name, their folders become part of it. */
const fileOf = ({ name }: Artifact, wanted: readonly Artifact[]) =>
  clean(wanted.filter((other) => sameFile(name, other.name)).length > 1 ? name : lastPart(name))

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
    const found =
      args.build === undefined
        ? await client.listLatestArtifacts({ project_id: project, query: { job, branch, platform, configuration, name } })
        : await client.listBuildArtifacts({ project_id: project, build_run_id: args.build })
    const wanted = found.artifacts.filter(matching(name))
    if (wanted.length === 0) throw new Failure('No matching artifact was uploaded.')
    mkdirSync(into, { recursive: true })
    for (const artifact of wanted) {
      const file = join(into, fileOf(artifact, wanted))
      if (existsSync(file) && !force) throw new Failure(`${file} exists. To overwrite it, add --force.`)
      const url = new URL(`/api/v1/projects/${project}/artifacts/${artifact.id}`, site)
      await save({ url, token, size: artifact.size_bytes, file })
      if (!out.wantsDocument) out.say(`${file}  ${sizeOf(artifact.size_bytes)}`)
    }
    out.answer({ artifacts: wanted }, () => {})
  },
})
