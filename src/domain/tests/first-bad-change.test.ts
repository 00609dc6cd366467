import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { brokenWorld, type Expected } from '../../../test/support/studios/broken-world.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
  })
})
afterAll(() => studio.close())

interface Shown {
  branches: {
    branch: string
    flaky: boolean
    failing: boolean
    last_good_change: { identifier: string } | null
    first_bad_change: { identifier: string } | null
    changes_in_range: number | null
  }[]
}

/** What is shown about each expected test, as indexes of the changes of its stream; null if no change is named. */
async function shownOf(project: number, { stream, name, changes }: Expected) {
  const { id } = (await studio.db.one<{ id: number }>(sql`
    select id from test_cases where project_id = ${project} and name = ${name}`))!
  const { json } = await studio.ask(`/api/v1/projects/${project}/tests/${id}`, { token: studio.world.tokens.kim!.token })
  const state = (json as Shown).branches.find(({ branch }) => branch === stream)
  if (!state?.failing || state.flaky || !state.last_good_change || !state.first_bad_change) return null
  const [good, bad] = [state.last_good_change, state.first_bad_change].map(({ identifier }) => changes.indexOf(identifier))
  return { good: good!, bad: bad!, between: state.changes_in_range }
}

describe('over two streams whose builds leave out changes, the first bad change of a failing test', () => {
  test.each([
    { seed: 11, numbered: false },
    { seed: 12, numbered: true },
    { seed: 13, numbered: false },
    { seed: 14, numbered: true },
  ])('is right in at least 95 %, and no range is wider than the runs allow (seed $seed)', async ({ seed, numbered }) => {
    const { expected, ...world } = brokenWorld({ seed, numbered })
    const account = studio.world.accounts.owl!.id
    const loaded = await studio.load({ projects: [{ key: 'star', account, name: `Starfall ${seed}` }], ...world })
    const score = { right: 0, narrow: 0, named: 0, namedRight: 0 }
    for (const each of expected) {
      const shown = await shownOf(loaded.projects.star!.id, each)
      if (!shown) continue
      const right = shown.good < each.broken && each.broken <= shown.bad
      if (right) score.right++
      if (shown.good === each.lastPassed && shown.bad === each.firstFailed) score.narrow++
      expect(shown.between).toBe(shown.bad - shown.good)
      if (shown.between !== 1) continue
      score.named++
      if (right) score.namedRight++
    }
    expect(expected.length).toBeGreaterThan(15)
    expect(score.right / expected.length).toBeGreaterThanOrEqual(0.95)
    expect(score.narrow / expected.length).toBeGreaterThanOrEqual(0.9)
    expect(score.named).toBeGreaterThan(0)
    expect(score.namedRight).toBe(score.named)
  })
})
