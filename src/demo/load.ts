import { Readable } from 'node:stream'
import type { Pool } from '../db/database.ts'
import { setOperator } from '../domain/accounts/users.ts'
import { newToken, type Vault } from '../domain/privacy/secrets.ts'
import { analyze, insertWorld } from '../world/world.ts'
import { TOKEN } from './accounts.ts'
import { addDeliveries, addPhases, fillInboxes, judgeBudgets } from './afterwards.ts'
import { commentOnBreakages } from './comments.ts'
import { investigateFailures } from './investigations.ts'
import { mailOf, OWNER } from './people.ts'
import { keepReferences } from './references.ts'
import { demoWorld, GAMES } from './world.ts'

/** The credentials of the demo studio; shown once. */
export interface DemoAccess {
  email: string
  password: string
  token: string
  projectId: number
  /** The path of the first project's Jenkins integration. */
  jenkinsPath: string
}

const PASSWORD_LENGTH = 16

/** Every installation gets its own password: a service may be reachable before anybody thinks of changing it. */
export async function loadDemo(db: Pool, vault: Vault, now: Date): Promise<DemoAccess> {
  const password = newToken().slice(0, PASSWORD_LENGTH)
  const world = demoWorld(now)
  const users = world.users.map((user) => (user.key === OWNER ? { ...user, password } : user))
  // Buildkite's deliveries are refused without a secret to check them with.
  const integrations = world.integrations.map((one) =>
    one.provider === 'buildkite' ? { ...one, signing_secret: newToken() } : one,
  )
  const text = JSON.stringify({ ...world, users, integrations })
  const loaded = await insertWorld(db, Readable.from([Buffer.from(text)]), {
    vault,
    async alongside(db, loaded) {
      await keepReferences(db, GAMES, loaded)
      await addPhases(db, GAMES, loaded)
      await judgeBudgets(db, GAMES, loaded)
      await addDeliveries(db, now)
      await investigateFailures(db, now)
      await commentOnBreakages(db, GAMES, loaded)
      await fillInboxes(db)
      await setOperator(db, loaded.users[OWNER]!.id, true)
    },
  })
  // The password is shown first: a process that ended before would leave a studio that nobody can sign in to.
  void analyze(db)
  const game = world.projects[0]!.key
  return {
    email: mailOf(OWNER),
    password,
    token: loaded.tokens[TOKEN]!.token,
    projectId: loaded.projects[game]!.id,
    jenkinsPath: `/webhooks/jenkins?token=${loaded.integrations[`${game}-jenkins`]!.webhook_token}`,
  }
}
