import { expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import { edit as editPlaces } from '../../src/domain/integrations/places.ts'
import { axe } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { describeWith } from '../support/skippable.ts'
import { type BisectedRoom, bisectedRoom, FIRST } from '../support/studios/bisected-jenkins.ts'

const PASSWORD = 'a long enough password'
const CULPRIT = FIRST + 3
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null }],
  users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', password: PASSWORD, accounts: { owl: 'owner' } }],
  tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: ['read:builds'] }],
}

describeWith('chromium')('a bisection in a browser', () => {
  const { studio, tab } = openVisit(world, 'kim@example.com', PASSWORD)

  async function visited(work: (room: BisectedRoom, path: string) => Promise<void>) {
    const room = await bisectedRoom(studio(), { changes: 8, fails: (changelist) => changelist >= CULPRIT })
    try {
      await room.permit(50)
      await work(room, `/projects/${room.project}/breakages/${room.breakage}`)
    } finally {
      room.jenkins.close()
      await studio().db.execute(sql`delete from jobs`)
    }
  }

  test('a person starts one and sees its builds and the change it found', () =>
    visited(async ({ asked, workOffAll }, path) => {
      const { page } = tab()
      await tab().go(path)
      await page.getByRole('button', { name: 'Start bisection' }).click()
      await page.getByText('8 of 8 changes left').waitFor()
      expect(await axe(page)).toEqual([])

      await workOffAll()
      await page.getByText(/is the cause with 9\d%/).waitFor()
      const builds = page.getByRole('list', { name: 'Builds of the bisection' }).getByRole('listitem')
      await expect.poll(() => builds.count()).toBe(asked.length)
      await expect.poll(() => page.getByRole('button', { name: 'Cancel bisection' }).count()).toBe(0)
      await page.getByText(`found by bisection, narrowed by ${asked.length} builds`).waitFor()
      expect(await axe(page)).toEqual([])
      expect(tab().complaints).toEqual([])
    }))

  test('nobody is offered one of a job that the credential may not be used for', () =>
    visited(async ({ project }, path) => {
      const { id } = (await studio().db.one<{ id: number }>(
        sql`select id from integrations where project_id = ${project} and provider = 'jenkins'`,
      ))!
      const key = { account_id: Number(studio().world.accounts.owl!.id), id }
      const start = tab().page.getByRole('button', { name: 'Start bisection' })
      await editPlaces(studio().db, key, { every_place: false, confirm: ['Other'] })
      await tab().go(path)
      await tab().page.getByText('mystery').first().waitFor()
      await expect.poll(() => start.count()).toBe(0)
      await editPlaces(studio().db, key, { confirm: ['Cook'] })
      await tab().go(path)
      await start.waitFor()
    }))

  test('a person cancels one before its first build, and can start another', () =>
    visited(async ({ asked, workOffAll }, path) => {
      const { page } = tab()
      await tab().go(path)
      await page.getByRole('button', { name: 'Start bisection' }).click()
      await page.getByRole('button', { name: 'Cancel bisection' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel bisection' }).click()
      await page.getByRole('button', { name: 'Bisect again' }).waitFor()
      await workOffAll()
      expect(asked).toEqual([])
      await page.getByRole('button', { name: 'Bisect again' }).click()
      await page.getByText('8 of 8 changes left').waitFor()
    }))
})
