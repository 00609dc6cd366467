import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { performed } from '../../../../test/support/callers/in-process.ts'
import { png } from '../../../../test/support/files/pictures.ts'
import { openStudio, type Studio } from '../../../../test/support/studio.ts'

let studio: Studio
const folder = mkdtempSync(join(tmpdir(), 'goldmaster-previews-'))
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall', members: { kim: 'lead' } }],
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: ['read:assets', 'write:previews'] }],
    assets: [
      {
        key: 'rock',
        project: 'star',
        name: 'T_Rock.uasset',
        path: '//star/Content/Art/T_Rock.uasset',
        asset_type: 'texture',
        version: 2,
      },
      { key: 'sky', project: 'star', name: 'T_Sky.uasset', path: '//star/Content/T_Sky.uasset', asset_type: 'texture' },
    ],
  })
  mkdirSync(join(folder, 'Art'))
  for (const file of ['Art/T_Rock.png', 'T_Sky.png', 'T_Gone.png'])
    writeFileSync(join(folder, file), png({ width: 20, height: 20 }))
})
afterAll(async () => {
  await studio.close()
  rmSync(folder, { recursive: true })
})

const run = (...words: string[]) =>
  performed(['previews', ...words, '--project', String(studio.world.projects.star!.id)], {
    env: {
      GOLDMASTER_HOST: studio.site,
      GOLDMASTER_TOKEN: String(studio.world.tokens!.kim!.token),
      NO_COLOR: '1',
      XDG_CONFIG_HOME: folder,
    },
  })

test('a folder is uploaded to the assets at the same paths, and unknown ones are skipped', async () => {
  const path = ['--path', '//star/Content/{path}.uasset']
  expect(await run('upload', folder, ...path, '--pick', '[].version')).toBe('2\n1\n')
  const listed = await run('list', String(studio.world.assets!.rock!.id))
  expect(listed).toMatch(/2\s+ready\s+picture\s+upload/)
})

test('one file is uploaded for an asset', async () => {
  const said = await run('upload', join(folder, 'T_Gone.png'), '--asset', String(studio.world.assets!.sky!.id))
  expect(said).toContain('1 of 1 file uploaded.')
})
