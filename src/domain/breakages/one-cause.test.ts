import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { breakageRoom, openBreakageStudio } from '../../../test/support/studios/breakage-room.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())

const ON = {
  Win64: (line: number) => `D:\\ws\\src\\game\\part5.c(${line}): error C2065: 'Guard': undeclared identifier\n`,
  Clang: (line: number) => `E:\\My Game\\src\\game\\part5.c(${line},9): error: use of undeclared identifier 'Guard'\n`,
  Linux: (line: number) => `/home/ci/ws/src/game/part5.c:${line}:9: error: use of undeclared identifier 'Guard'\n`,
  PS5: (line: number) => `src/game/part5.c:${line}: error: use of undeclared identifier 'Guard'\n`,
}
const PLATFORMS = Object.keys(ON) as (keyof typeof ON)[]

test.each([PLATFORMS, PLATFORMS.toReversed()])('a compile error on %s, %s, %s and %s is one breakage', async (...order) => {
  const { report, work, only } = await breakageRoom(studio)
  for (const [index, job] of order.entries()) await report({ job, number: 5 + index, at: 5, log: ON[job](12) })
  await work()
  expect(await only()).toMatchObject({ jobs: PLATFORMS.toSorted(), build_count: 4, category: 'compile_error' })
})

test('a compile error whose line moves while it is open stays one breakage on every compiler', async () => {
  const { report, work, only } = await breakageRoom(studio)
  for (const job of PLATFORMS) await report({ job, number: 5, log: ON[job](12) })
  await work()
  for (const job of PLATFORMS.toReversed()) await report({ job, number: 6, log: ON[job](17) })
  await work()
  expect(await only()).toMatchObject({ jobs: PLATFORMS.toSorted(), build_count: 8 })
})

test('a symbol that is missing for two linkers is one breakage', async () => {
  const { report, work, only } = await breakageRoom(studio)
  await report({
    job: 'Win64',
    number: 5,
    log: 'Roll.obj : error LNK2019: unresolved external symbol "public: void __cdecl AHero::Fire(int)" (?Fire@AHero@@QEAAXH@Z) referenced in function "void __cdecl go(void)" (?go@@YAXXZ)\n',
  })
  await report({
    job: 'PS5',
    number: 6,
    at: 5,
    log: 'ld.lld: error: undefined symbol: AHero::Fire(int)\n>>> referenced by Roll.cpp:12\n',
  })
  await work()
  expect(await only()).toMatchObject({ jobs: ['PS5', 'Win64'], category: 'link_error' })
})

test('a different error at another line of the same file is another breakage', async () => {
  const { report, work, breakages } = await breakageRoom(studio)
  await report({ job: 'Win64', number: 5, log: ON.Win64(12) })
  await report({ job: 'Linux', number: 5, log: ON.Linux(12) })
  await report({ job: 'Linux', number: 6, log: "/home/ci/ws/src/game/part5.c:40:2: error: expected ';' after expression\n" })
  await work()
  expect((await breakages()).map(({ build_count }) => build_count).sort()).toEqual([1, 2])
})
