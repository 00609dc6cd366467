import { beforeEach, describe, expect, test } from 'vitest'
import { openReports, type Pushed, sha } from '../../test/support/files/reports.ts'
import { sql } from '../db/database.ts'

const { studio, project, push, submit, ci, work, suspected, usersSuspected, idOf } = openReports()

describe('a change that arrives after its build failed', () => {
  test('becomes a suspect: a commit', async () => {
    await push(['c1'])
    await ci(1, 'success', { branch: 'main', commit: sha('c1') })
    const red = await ci(2, 'failed', { branch: 'main', commit: sha('c3') })
    await work()
    await push(['c2', 'c3'], { before: 'c1' })
    await work()
    expect(await suspected(red)).toEqual(['c2', 'c3'])
  })

  test('becomes a suspect: a changelist with a lower number', async () => {
    await submit(100, ['//game/main/src/combat.c'])
    await ci(1, 'success', { branch: '//game/main', changelist: '100' })
    await submit(103, ['//game/main/src/combat.c'])
    const red = await ci(2, 'failed', { branch: '//game/main', changelist: '103' })
    await work()
    expect(await suspected(red)).toEqual(['103'])
    await submit(102, ['//game/main/src/combat.c'])
    await submit(101, ['//game/dev/src/combat.c'])
    await work()
    expect(await suspected(red)).toEqual(['102', '103'])
  })

  test('becomes a suspect: a push that arrived out of order', async () => {
    await push(['c1'])
    await ci(1, 'success', { branch: 'main', commit: sha('c1') })
    await push(['c3'], { before: 'c2' })
    const red = await ci(2, 'failed', { branch: 'main', commit: sha('c3') })
    await work()
    expect(await suspected(red)).toEqual(['c3'])
    await push(['c2'], { before: 'c1' })
    await work()
    expect(await suspected(red)).toEqual(['c2', 'c3'])
  })
})

describe('the author of an integrated change is a suspect', () => {
  const red = async (changelist: number) => {
    const build = await ci(2, 'failed', { branch: '//game/main', changelist: String(changelist) })
    await work()
    return usersSuspected(build)
  }
  beforeEach(async () => {
    await submit(90, ['//game/main/src/other.c'])
    await ci(1, 'success', { branch: '//game/main', changelist: '90' })
    await submit(91, ['//game/dev/src/combat.c'], { user: 'ann' })
  })
  const FILES = ['//game/main/src/combat.c']

  test('if a tag names them, even if the source is unknown', async () => {
    const description = 'Tune\n#ROBOMERGE-AUTHOR: ann\n#ROBOMERGE-SOURCE: CL 12 in //engine/main/...'
    await submit(100, FILES, { user: 'robomerge', description })
    expect(await red(100)).toEqual([idOf('ann')])
  })

  test('if the description gives the number of the source', async () => {
    await submit(100, FILES, { user: 'kim', description: 'Merging CL 91 from //game/dev' })
    expect(await red(100)).toEqual([idOf('ann')])
  })

  test('through several streams', async () => {
    await submit(95, ['//game/rel/src/combat.c'], { user: 'kim', description: 'Merging CL 91 from //game/dev' })
    await submit(100, FILES, { user: 'robomerge', description: 'Tune\n#ROBOMERGE-SOURCE: CL 95 in //game/rel/...' })
    expect(await red(100)).toEqual([idOf('ann')])
  })

  test('but nobody if the sources have several authors', async () => {
    await submit(92, ['//game/dev/src/combat.c'], { user: 'kim@example.com' })
    await submit(100, FILES, { user: 'kim', description: 'Merge CLs 91 and 92 from //game/dev' })
    expect(await red(100)).toEqual([null])
  })

  test('but not the co-author of a person’s change', async () => {
    await submit(100, FILES, { user: 'merger', description: 'Tune\n\nCo-authored-by: ann' })
    expect(await red(100)).toEqual([null])
  })

  test('if the integration lists the submitter as a merge account', async () => {
    await studio().db.execute(sql`
      update integrations set config = '{"merge_accounts": "builder, Merger"}' where project_id = ${project()} and provider = 'perforce'`)
    await submit(100, FILES, { user: 'merger', description: 'Tune\n\nCo-authored-by: ann' })
    expect(await red(100)).toEqual([idOf('ann')])
  })

  test('in git: the co-author of a bot’s commit, the person of a person’s, the author of a cherry-pick’s source', async () => {
    const ann = { name: 'Ann', email: 'ann@example.com' }
    const byAnn = 'Tune\n\nCo-authored-by: Ann <ann@example.com>'
    await push(['s1'], { branch: 'dev', author: ann })
    const users: unknown[] = []
    for (const [at, [name, more]] of Object.entries({
      b1: { author: { name: 'merge-queue[bot]', email: 'bot@example.com' }, message: byAnn },
      p1: { message: byAnn },
      k1: { message: `Tune\n\n(cherry picked from commit ${sha('s1')})` },
    } as Record<string, Pushed>).entries()) {
      await push([name], { ...more, branch: name })
      const build = await ci(10 + at, 'failed', { branch: name, commit: sha(name), job_name: name })
      await work()
      users.push(...(await usersSuspected(build)))
    }
    expect(users).toEqual([idOf('ann'), idOf('kim'), idOf('ann')])
  })
})
