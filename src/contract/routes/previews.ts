import { flag, instant, integer, nullable, object, oneOf, page, ShortPagination, text } from '../fields.ts'
import { PREVIEW_MAX } from '../limits.ts'
import * as param from '../params.ts'
import { PREVIEW_KINDS, PREVIEW_SIZES, PREVIEW_SOURCES, PREVIEW_STATES } from '../sets.ts'
import { get, put, type TokenRoute } from './route.ts'

/** What can be seen of the versions of an asset. */

/** What a list of records shows of a preview; its pictures are at `previewDownload`. */
export const PreviewSummary = object({
  version: integer,
  state: oneOf(PREVIEW_STATES),
  /** Null unless it is ready. */
  kind: nullable(oneOf(PREVIEW_KINDS)),
  /** Why there is none. */
  reason: nullable(text),
  /** A tiny picture as a data URL, to show until the preview is loaded. */
  placeholder: nullable(text),
  /** Of the file in pixels, if it is a picture. */
  width: nullable(integer),
  height: nullable(integer),
  updated_at: instant,
})

export const Preview = object({
  ...PreviewSummary.properties,
  /** The change that made the version, if it is known. */
  change_id: nullable(integer),
  source: oneOf(PREVIEW_SOURCES),
  /** Whether it has the sizes `small` and `large`. */
  has_pictures: flag,
  /** The uploaded file, or the text of a file. Null: only its pictures are kept. */
  original: nullable(object({ type: text, bytes: integer })),
  created_at: instant,
})

export const previewRoutes = {
  listPreviews: {
    ...get,
    path: '/v1/projects/:project_id/assets/:asset_id/previews',
    scope: 'read:assets',
    summary: 'List the previews of the versions of an asset, newest version first',
    query: {
      before_version: param.described(param.reference, 'Only versions older than this one'),
      limit: param.limit,
    },
    shows: ['preview'],
    single: true,
    reply: page('previews', Preview, ShortPagination),
    tool: false,
  },
  uploadPreview: {
    ...put,
    path: '/v1/projects/:project_id/assets/:asset_id/versions/:version/preview',
    scope: 'write:previews',
    summary: 'Upload a preview of a version of an asset: a picture, video, glTF model or sound; its bytes are the body',
    consumes: 'application/octet-stream',
    bodyMax: PREVIEW_MAX,
    reply: Preview,
    writes: true,
    detached: true,
    tool: false,
  },
} as const satisfies Record<string, TokenRoute>

/**
 * A picture or file of a preview; not in the table, because its response is not JSON. With `at`, the `updated_at` of the preview, browsers
 * keep it forever; without, they ask whether it changed.
 */
export const previewDownload = {
  path: '/v1/projects/:project_id/assets/:asset_id/versions/:version/preview',
  scope: 'read:assets',
  query: {
    size: param.described(
      param.oneOf(PREVIEW_SIZES),
      'small (the default): a picture of at most 320 pixels; large: 1600; original: the uploaded file, or the text of a file',
    ),
    at: param.described(param.text, 'updated_at of the preview: then the response can be cached forever'),
  },
} as const
