import { SCOPES } from '../../../src/contract/sets.ts'
import type { Answer, Asking, Studio } from '../studio.ts'

/** A small world to build upon: a team with two projects, and another account with one. */
export const workshop = {
  accounts: [
    { key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true },
    { key: 'fox', name: 'Red Fox', plan: 'team', payment_method: true },
  ],
  users: [
    { key: 'lead', email: 'lead@example.com', name: 'Leading Lady', accounts: { owl: 'owner' } },
    { key: 'artist', email: 'artist@example.com', name: 'Artful Arthur', accounts: { owl: 'member' } },
    { key: 'rival', email: 'rival@example.com', name: 'Rivalling Rita', accounts: { fox: 'owner' } },
  ],
  projects: [
    { key: 'star', account: 'owl', name: 'Starfall', engine: 'unreal', members: { lead: 'owner' } },
    { key: 'moon', account: 'owl', name: 'Moonrise', engine: 'unity', members: { lead: 'owner' } },
    { key: 'den', account: 'fox', name: 'Den', engine: 'unity', members: { rival: 'owner' } },
  ],
  tokens: [
    { key: 'lead', user: 'lead', name: 'lead', scopes: SCOPES },
    { key: 'artist', user: 'artist', name: 'artist', scopes: SCOPES },
    { key: 'rival', user: 'rival', name: 'rival', scopes: SCOPES },
  ],
}

/** Resolves keys of the world, and calls routes inside its projects. */
export const visitor = (studio: () => Studio) => {
  const id = (kind: string, key: string): string => String(studio().world[kind as 'tasks']![key]!.id)
  const tokenOf = (key: string) => studio().world.tokens![key]!.token as string
  const inside = (path: string, asking: Asking & { as?: string; project?: string } = {}): Promise<Answer> =>
    studio().ask(`/api/v1/projects/${id('projects', asking.project ?? 'star')}${path}`, {
      token: tokenOf(asking.as ?? 'lead'),
      ...asking,
    })
  return { id, tokenOf, inside }
}
