import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { branchRoom, openBranchStudio } from '../../../test/support/studios/branch-room.ts'
import * as channels from '../channels/channels.ts'
import * as settings from '../projects/project-settings.ts'
import { branchKey, matchesBranch } from './branch-names.ts'
import { streamsOf } from './streams.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBranchStudio()
})
afterAll(() => studio.close())

describe('a pattern', () => {
  test.each([
    ['//Game/*', '//game/main'],
    ['//game/rel-*', '//Game/Rel-5'],
    ['//game/...', '//game/dev/kim'],
    ['//Game/Main/...', '//game/main'],
    ['//Game/Main/', '//game/main'],
    ['release/*', 'release/1.0'],
    ['refs/heads/release/*', 'release/1.0/hotfix'],
    ['**', 'feature/x'],
    ['**', '//game/main'],
    ['*', '//game/main'],
    ['*/Main', '//game/main'],
  ])('%s matches %s', (pattern, branch) => {
    expect(matchesBranch(pattern, branchKey(branch))).toBe(true)
  })

  test.each([
    ['release/*', 'release'],
    ['Release/*', 'release/1.0'],
    ['//game/rel-*', '//game/main'],
    ['//game/rel-*', '//tools/rel-5'],
    ['main', 'domain'],
  ])('%s does not match %s', (pattern, branch) => {
    expect(matchesBranch(pattern, branchKey(branch))).toBe(false)
  })

  test('of an integration gives every folder below it its own stream', () => {
    const paths = ['//Game/Main/a.c', '//Game/Rel-5/a.c', '//Tools/Main/a.c']
    expect(streamsOf(paths, { prefixes: ['//Game/*'] })).toEqual(['//game/main', '//game/rel-5'])
    expect(streamsOf(paths, { prefixes: ['//game/*-5/...'] })).toEqual(['//game/rel-5'])
  })

  test('for required jobs matches as written, and one that matches nothing is named in the reply', async () => {
    const room = await branchRoom(studio)
    await room.submit(1201)
    await room.report({ job: 'Editor', number: 1, changelist: 1201 })
    await room.report({ job: 'Lint', number: 1, changelist: 1201, broken: 'part1201' })
    const required_jobs = [
      { branch: '//Game/Rel*', jobs: ['Lint'] },
      { branch: '//Game/*', jobs: ['Editor'] },
    ]
    const { unmatched_patterns } = await settings.edit(studio.db, room.project, { required_jobs })
    expect(unmatched_patterns).toEqual(['//Game/Rel*'])
    expect(await room.health()).toMatchObject({ state: 'green', last_known_good: { identifier: '1201' } })
    // A branch that has changes and no builds yet is one too.
    await room.submit(1202, { stream: '//game/rel-5' })
    expect((await settings.show(studio.db, room.project)).unmatched_patterns).toEqual([])
  })

  test('of a channel rule that matches nothing is named in the reply', async () => {
    const room = await branchRoom(studio)
    await room.submit(1201)
    const rule = {
      project_id: room.project,
      subject: 'breakage',
      job: '',
      category: null,
      hours: null,
      here: false,
      quiet_from: null,
      quiet_until: null,
    } as const
    const made = await channels.create(studio.db, studio.service.vault, Number(studio.world.accounts!.owl!.id), {
      kind: 'discord',
      name: 'builds',
      secret: 'https://discord.com/api/webhooks/1/abc',
      rules: ['//Game/*', '//game/away', ''].map((branch) => ({ ...rule, branch })),
    })
    expect(made.unmatched_patterns).toEqual([{ project_id: room.project, branch: '//game/away' }])
  })
})
