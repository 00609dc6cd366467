import { PLAIN_SCOPES } from '../contract/sets.ts'
import { DAY, iso, WEEKS } from './calendar.ts'
import type { Game } from './game.ts'
import { mailOf, OWNER, PEOPLE, type PersonKey } from './people.ts'

export const STUDIO = 'studio'
export const SHOWCASE = 'showcase'
export const TOKEN = 'tour'

/** Everybody works in the studio; the showcase is a read-only copy of it. */
export function accountsOf(games: readonly Game[], now: number) {
  const founded = { created_at: iso(now - WEEKS * 7 * DAY - 3 * DAY), updated_at: iso(now - WEEKS * 7 * DAY - 3 * DAY) }
  const account = (key: string, name: string, demo: boolean) => ({
    key,
    name,
    plan: 'studio',
    timezone: 'Europe/Copenhagen',
    payment_method: true,
    demo,
    credits: null,
    ...founded,
  })
  return {
    accounts: [account(STUDIO, 'Ninth Teapot Games', false), account(SHOWCASE, 'Ninth Teapot Showcase', true)],
    users: (Object.keys(PEOPLE) as PersonKey[]).map((key) => {
      const role = key === OWNER ? 'owner' : 'member'
      const { name, ...uids } = PEOPLE[key]
      return {
        key,
        email: mailOf(key),
        name,
        accounts: { [STUDIO]: role, [SHOWCASE]: role },
        default_account: STUDIO,
        connected_accounts: Object.entries(uids).map(([provider, uid]) => ({ provider, uid })),
        ...founded,
      }
    }),
    projects: games.map((game) => ({
      key: game.key,
      account: game.account,
      name: game.name,
      engine: game.engine,
      members: Object.fromEntries(game.team.map((key) => [key, key === OWNER ? 'owner' : 'member'])),
      approval_rules: game.approvalRules,
      measure_budgets: game.budgets,
      // The demo's failing tests stand beside its breakages: they turn no job red.
      test_gate: { fails_on: 'crashes' as const, jobs: [] },
      agent_prices: { currency: 'EUR', prices: [{ agent: 'BUILD-*', per_hour: 3.6 }] },
      ...founded,
    })),
    tokens: [{ key: TOKEN, user: OWNER, name: 'Guided tour', scopes: PLAIN_SCOPES, created_at: iso(now) }],
    integrations: games.flatMap((game) =>
      game.integrations.map((provider) => ({ key: `${game.key}-${provider}`, project: game.key, provider, ...founded })),
    ),
  }
}
