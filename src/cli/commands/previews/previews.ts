import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../../contract/client.ts'
import { ApiError } from '../../../contract/errors.ts'
import { PREVIEW_MAX } from '../../../contract/limits.ts'
import type { ReplyOf } from '../../../contract/routes.ts'
import type { Noun } from '../../../terminal/command.ts'
import { fileBytes } from '../../../terminal/given-text.ts'
import { extra, main } from '../../../terminal/table.ts'
import { command } from '../../program/command.ts'
import { limitFlag, USUAL_ROWS } from '../../program/filters.ts'
import { SUMMARIES } from '../../summaries.ts'
import { PATTERN, targetsOf } from './targets.ts'

const ASSET = { asset: { help: 'Id of the asset' } } as const

const list = command({
  name: 'list',
  summary: 'List the previews of the versions of an asset, newest first',
  project: true,
  args: ASSET,
  flags: limitFlag,
  web: ({ project, args }) => `/projects/${project}/assets/${args.asset}`,
  shows: { route: 'listPreviews', rows: 'previews' },
  examples: ['previews list $(goldmaster assets list --pick "[0].id")'],
  async run({ client, project, args, flags, out }) {
    const query = { limit: String(flags.limit ?? USUAL_ROWS) }
    const page = await client.listPreviews({ project_id: project, asset_id: args.asset, query })
    out.answer(page, () => {
      if (page.previews.length === 0)
        out.note(`No previews yet. To upload one, run: goldmaster previews upload FILE --asset ${args.asset}`)
      else
        out.table(page.previews, [
          'version',
          'state',
          'kind',
          'source',
          { ...main('reason'), ends: true },
          extra('width'),
          extra('height'),
          'updated_at',
        ])
    })
  },
})

const TRIES = 6
const WAIT_MAX_S = 30

const upload = command({
  name: 'upload',
  summary: 'Upload previews of the newest versions of assets',
  project: true,
  args: { file: { help: 'A file, or a folder with one file for each asset' } },
  flags: {
    asset: { help: 'Id of the asset, for a file', value: 'id' },
    path: { help: `Path of the assets; ${PATTERN} is the file's path below the folder without its extension`, value: 'pattern' },
  },
  web: ({ project }) => `/projects/${project}/assets`,
  shows: { route: 'listPreviews', rows: 'previews' },
  details: `Uploads pictures, videos, glTF models and sounds; the files have at most ${PREVIEW_MAX / 1_000_000} MB. Files whose asset is not known are skipped and named.
Needs the scope write:previews: sign in with goldmaster login --scope all, or create a token under Settings → API tokens.`,
  examples: [
    'previews upload rock.png --asset $(goldmaster assets list --pick "[0].id")',
    "previews upload Saved/Thumbnails --path '//game/main/Content/{path}.uasset'",
  ],
  async run({ client, project, args, flags, out }) {
    const targets = targetsOf(args.file, flags)
    const previews: ReplyOf<'uploadPreview'>[] = []
    for (const { file, asset: given, path } of targets) {
      const asset = given
        ? await client.showAsset({ project_id: project, asset_id: given })
        : await assetAt(client, project, path!)
      if (!asset) {
        out.note(`${file}: no asset has the path ${path}`)
        continue
      }
      const place = { project_id: project, asset_id: asset.id, version: String(asset.version) }
      const preview = await patiently(() => client.uploadPreview({ ...place, body: fileBytes(file) }))
      previews.push(preview)
      out.note(`${file}: version ${preview.version} of ${asset.name}`)
    }
    out.answer({ previews }, () =>
      out.say(`${previews.length} of ${targets.length} ${targets.length === 1 ? 'file' : 'files'} uploaded.`),
    )
  },
})

/** The asset with exactly this path. */
async function assetAt(client: Client, project: string, path: string) {
  const { assets } = await client.searchAssets({ project_id: project, query: { q: path, limit: '50' } })
  return assets.find((asset) => asset.path === path)
}

/** Waits as long as the service asks when it has enough to do. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ApiError) || ![429, 503].includes(error.status) || tries === TRIES) throw error
      await sleep(1000 * Math.min(WAIT_MAX_S, Number(error.headers['retry-after'] ?? 5)))
    }
}

export const previews: Noun = { name: 'previews', summary: SUMMARIES.previews, usual: 'list', commands: [list, upload] }
