import { createHmac, randomBytes, randomUUID } from 'node:crypto'

export const SIGNING = 'shared with the repository'
export const COMMITS = 5

/** A signed push of five new commits. */
export function push(): { headers: Record<string, string>; body: string } {
  const commits = Array.from({ length: COMMITS }, (_, i) => ({
    id: randomBytes(20).toString('hex'),
    message: 'Keep the crate on the floor\n\nReviewed by the physics group.',
    timestamp: '2026-03-01T12:00:00Z',
    author: { name: 'Kim Lindqvist', email: 'kim@bench.example', username: 'kim' },
    added: [`Content/Props/T_Crate_${randomBytes(4).toString('hex')}_${i}.png`],
    modified: ['Source/Physics/Crate.cpp', 'Source/Physics/Crate.h'],
    removed: [],
  }))
  const body = JSON.stringify({
    ref: 'refs/heads/main',
    before: 'b'.repeat(40),
    after: commits.at(-1)!.id,
    repository: { full_name: 'bench/harbour' },
    pusher: { name: 'kim' },
    commits,
  })
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${createHmac('sha256', SIGNING).update(body).digest('hex')}`,
  }
  return { headers, body }
}
