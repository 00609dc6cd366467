import { replyJson } from '../../../net/reply-json.ts'
import { type FetchedReply, type FetchOptions, safeFetch, Unreachable } from '../../../net/safe-fetch.ts'
import type { JobContext } from '../../job-context.ts'
import { at, type Json, text } from '../../reading.ts'
import { failureOf } from '../ci-replies.ts'
import { partsOf } from '../repository-path.ts'

const NEEDS = 'Check the API URL, the API token and the repository in the integration settings.'
/** The public client of Diversion, to which its API tokens belong. */
const CLIENT = 'j084768v4hd6j1pf8df4h4c47'

/** A file as it was in a commit; of a long one, its first bytes. */
export async function diversionFile(
  { allowed }: JobContext,
  config: Readonly<Json>,
  { path, identifier }: { path: string; identifier: string },
  limit: number,
  signal?: AbortSignal,
) {
  const repository = text(config.diversion_repository)
  if (repository === undefined) throw new Unreachable('The settings have no repository.')
  const base = (text(config.server) ?? '').replace(/\/$/, '')
  const place = partsOf(path).map(encodeURIComponent).join('/')
  const send = async (url: string, request: string, options: FetchOptions): Promise<FetchedReply> => {
    const reply = await safeFetch(url, (host, ip, port) => allowed(host, ip, port, 'diversion'), {
      ...options,
      ...(signal && { signal }),
    })
    if (reply.status >= 400) throw failureOf(reply, { ci: 'Diversion', request, needs: NEEDS })
    return reply
  }
  const granted = await send(tokenUrl(base), '/oauth2/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: text(config.api_token) ?? '',
      client_id: CLIENT,
    }).toString(),
  })
  const reply = await send(
    `${base}/repos/${encodeURIComponent(repository)}/blobs/${encodeURIComponent(identifier)}/${place}`,
    '/blobs',
    {
      headers: { authorization: `Bearer ${tokenIn(granted)}` },
      manualRedirect: true,
      limit,
      cut: true,
    },
  )
  // Large files are stored elsewhere. That server does not get the token.
  const stored = reply.headers.location
  const { body, isCut = false } = stored === undefined ? reply : await send(stored, 'the storage', { limit, cut: true })
  return { bytes: body, isCut }
}

/** Tokens are granted by a server beside the API. */
const tokenUrl = (base: string) => `${base.replace('://api.', '://auth.').replace(/\/v\d+$/, '')}/oauth2/token`

function tokenIn({ body }: FetchedReply): string {
  const token = text(at(replyJson(body), 'access_token'))
  if (token === undefined) throw new Unreachable('Diversion grants no access token.')
  return token
}
