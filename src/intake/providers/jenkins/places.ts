import type { Places } from '../../provider.ts'
import { type Json, text } from '../../reading.ts'
import { jobPath } from './job.ts'

/** A build by its page at the configured server; undefined for a page of another server, or of anything but a build. */
export function buildAt(address: string, config: Readonly<Json>): { job: string; number: string } | undefined {
  const server = text(config.server) ?? ''
  if (!URL.canParse(server) || !URL.canParse(address)) return undefined
  const base = new URL(server.endsWith('/') ? server : `${server}/`)
  const url = new URL(address)
  if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname)) return undefined
  const path = url.pathname.slice(base.pathname.length)
  const { job, number } = (BUILD.test(path) && jobPath(path)) || {}
  return job === undefined || number === undefined ? undefined : { job, number }
}

const BUILD = /^(?:view\/[^/]+\/)*(?:job\/[^/]+\/)+\d+\/?$/

/** A build that has a page is where the page is, whatever job its report names. */
export const places: Places = {
  noun: 'jobs',
  example: 'Game Win64, or Starfall/* for a folder or a multibranch job',
  of: ({ job, url }, config) => (url ? buildAt(url, config)?.job : job),
  startsByJob: true,
}
