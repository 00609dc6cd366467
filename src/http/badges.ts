import type { FastifyInstance } from 'fastify'
import { ApiError } from '../contract/errors.ts'
import type { Branch } from '../contract/health-shapes.ts'
import * as branches from '../domain/branches/branches.ts'
import type { Service } from './service.ts'

const WORDS: Record<Branch['state'], [word: string, color: string]> = {
  green: ['passing', '#1a7f37'],
  red: ['failing', '#cf222e'],
  building: ['building', '#0969da'],
  unknown: ['unknown', '#6e7781'],
}

/** The state of a branch as an image, for anybody with its key: a README, a wiki, a wall display. */
export function serveBadges(app: FastifyInstance, { db }: Service) {
  app.get<{ Params: { key: string }; Querystring: { branch?: unknown } }>('/badges/:key.svg', async (request, reply) => {
    const asked = (request.query as unknown as [string, string][]).find(([name]) => name === 'branch')?.[1]
    const owner = await branches.ownerOfBadge(db, request.params.key)
    const { name, state } = await branches.health(db, owner, { branch: asked }).catch((error: unknown) => {
      // A branch without builds has an image too: a broken image in a page is not helpful.
      if (error instanceof ApiError && error.status === 404) return { name: asked ?? 'build', state: 'unknown' as const }
      throw error
    })
    reply.type('image/svg+xml; charset=utf-8').header('cache-control', 'public, max-age=30')
    return draw(name, ...WORDS[state])
  })
}

const NAME_MAX = 40
/** Accurate enough for one line of text. */
const widthOf = (text: string) => Math.round([...text].length * 6.6) + 12

const escaped = (text: string) =>
  text.replace(/[\u0000-\u001f\u007f]/g, ' ').replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`)

function draw(branch: string, word: string, color: string): string {
  const signs = [...branch]
  const name = signs.length > NAME_MAX ? `…${signs.slice(1 - NAME_MAX).join('')}` : branch
  const [left, right] = [widthOf(name), widthOf(word)]
  const [label, width] = [escaped(name), left + right]
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}: ${word}"><title>${label}: ${word}</title><clipPath id="r"><rect width="${width}" height="20" rx="3"/></clipPath><g clip-path="url(#r)"><rect width="${left}" height="20" fill="#424a53"/><rect x="${left}" width="${right}" height="20" fill="${color}"/></g><g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"><text x="${left / 2}" y="14">${label}</text><text x="${left + right / 2}" y="14">${word}</text></g></svg>`
}
