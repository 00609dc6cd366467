import { afterAll, beforeAll, expect, test } from 'vitest'
import { visit } from '../../test/support/callers/visitor.ts'
import { keepLog } from '../../test/support/log.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { until } from '../../test/support/until.ts'
import { appRoutes } from '../contract/app/routes.ts'
import type { Route } from '../contract/routes/route.ts'

/** As long as the token of an invitation link. */
const SECRET = 'sEcReT-0123456789abcdefghijklmno'
const { log, lines, text } = keepLog()

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({}, { service: { log } })
})
afterAll(() => studio.close())

const inPaths = (Object.values(appRoutes) as Route[])
  .filter(({ path }) => path.includes(':token'))
  .map(({ method, path }): [string, string] => [method, `/app/api${path.replace(/:\w+/g, SECRET)}`])

test.each([
  ...inPaths,
  ['PUT', `/app/api/v1/invitations/${SECRET}`],
  ['GET', `/app/api/v1/invitations/${SECRET}/typo`],
  ['GET', `/invitations/${SECRET}`],
  ['GET', `/invitations/${SECRET}/`],
  ['GET', `/invit%61tions/${SECRET}`],
  ['GET', `/Invitations/${SECRET}`],
  ['POST', `/webhooks/github/${SECRET}`],
  ['GET', `/badges/${SECRET}.svg`],
  ['GET', `/cli/auth?state=${SECRET}&code=${SECRET}&request=${SECRET}`],
  ['GET', `/oauth/authorize?client_id=${SECRET}&state=${SECRET}&redirect_uri=${SECRET}`],
  ['GET', `/app/api/v1/oauth/request?request=${SECRET}`],
  ['GET', `/reset?token=${SECRET}`],
  ['GET', `/sign-up?token=${SECRET}`],
  ['GET', `/app/auth/verify-email?token=${SECRET}`],
  ['POST', `/webhooks/github?token=${SECRET}`],
])('the log of %s %s contains no secret', async (method, path) => {
  const before = lines.length
  await visit(studio).ask(path, { method, ...(method === 'GET' ? {} : { body: {} }) })
  await until(() => lines.slice(before).some(({ msg }) => msg === 'request'))
  expect(text()).not.toContain(SECRET)
})

test('other paths are logged as requested', async () => {
  await visit(studio).app('/projects/7/overview?x=1')
  await until(() => lines.some(({ path }) => path === '/app/api/v1/projects/7/overview'))
})
