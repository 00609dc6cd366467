import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workshop } from '../../../test/support/studios/workshop.ts'
import { workOff } from '../../../test/support/work-off.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({ ...workshop, integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }] })
})
afterAll(() => studio.close())

const COOKED = (seconds: number) =>
  `LogInit: Command Line: -run=Cook -TargetPlatform=WindowsNoEditor\nLogCook: Display: Cook by the book total time ${seconds}\n`

/** Reports a build and reads its log as the worker does. */
async function report(number: number, more: object) {
  const { json } = await studio.ask(`/webhooks/ci?token=${studio.world.integrations!.ci!.webhook_token}`, {
    method: 'POST',
    body: { job_name: 'Cook', build_number: String(number), ...more },
  })
  const jobs = await workOff(studio, 'read_log')
  const token = studio.world.tokens!.lead!.token as string
  const path = `/api/v1/projects/${studio.world.projects!.star!.id}/build_runs/${json.records[0].id}`
  const build = await studio.ask(path, { token })
  return { measures: build.json.measures, jobs }
}

const cookSeconds = (value: number) => ({ name: 'cook_seconds', value, unit: 's', platform: 'Win64' })

test('the log of a passed build gives measures, and a later log replaces them', async () => {
  expect(await report(1, { status: 'SUCCESS', logs_tail: COOKED(36.5) })).toEqual({ measures: [cookSeconds(36.5)], jobs: 1 })
  expect((await report(1, { status: 'SUCCESS', logs_tail: COOKED(40) })).measures).toEqual([cookSeconds(40)])
  expect((await report(1, { status: 'SUCCESS', logs_tail: 'nothing measured' })).measures).toBeNull()
})

test('a reported measure takes priority over the one in the log, whichever comes first', async () => {
  const measures = [{ ...cookSeconds(99), platform: 'Win64' }]
  expect((await report(2, { status: 'SUCCESS', logs_tail: COOKED(36.5), measures })).measures).toEqual([cookSeconds(99)])
  expect((await report(3, { status: 'SUCCESS', logs_tail: COOKED(36.5) })).measures).toEqual([cookSeconds(36.5)])
  expect((await report(3, { status: 'SUCCESS', measures })).measures).toEqual([cookSeconds(99)])
})

test('a failed, a canceled and a running build have no measures of their log', async () => {
  for (const [number, status] of [
    [4, 'FAILURE'],
    [5, 'ABORTED'],
    [6, 'STARTED'],
  ] as const)
    expect((await report(number, { status, logs_tail: COOKED(1) })).measures).toBeNull()
})

test('parts of a measure are named after it, and the total has the plain name', async () => {
  const table = [
    'Container                           Flags   TOC Size (KB)     TOC Entries       Size (MB)           Compressed (MB)',
    'pakchunk0-Windows                 C/-/-/I          127.01             573          342.90     132.84 (61.26% Oodle)',
    'TOTAL                                              128.06             577          344.66                         -',
  ]
  const log = table.map((line) => `LogIoStore: Display: ${line}\n`).join('')
  const { measures } = await report(7, { status: 'SUCCESS', logs_tail: log })
  expect(measures.map(({ name, value }: { name: string; value: number }) => [name, value]).sort()).toEqual([
    ['iostore_compressed/pakchunk0-Windows', 132.84],
    ['iostore_size', 344.66],
    ['iostore_size/pakchunk0-Windows', 342.9],
  ])
})

test('a measure has the values of the passed builds of its job and branch, what is usual, and where it jumped', async () => {
  const project = studio.world.projects!.star!.id
  const size = (value: number) => [{ name: 'package', value, unit: 'bytes', platform: 'Win64' }]
  const build = (number: number, more: object) => ({
    key: `package ${number} ${JSON.stringify(more)}`,
    project,
    ci_job_name: 'Package',
    branch: 'main',
    build_number: String(number),
    status: 'completed',
    created_at: new Date(Date.UTC(2026, 0, 1, number)).toISOString(),
    ...more,
  })
  const { build_runs } = await studio.load({
    build_runs: [
      ...Array.from({ length: 40 }, (_, i) => build(i + 1, { measures: size(i < 30 ? 1000 + (i % 3) : 1100 + (i % 3)) })),
      build(20, { branch: 'dev', measures: size(5) }),
      build(21, { ci_job_name: 'Other', measures: size(5) }),
      build(22, { build_number: '122', status: 'failed', measures: size(5) }),
      build(23, { build_number: '123', kind: 'preflight', measures: size(5) }),
      build(24, { build_number: '124' }),
    ],
  })
  const idOf = (number: number) =>
    String(Object.entries(build_runs!).find(([key]) => key.startsWith(`package ${number} {"measures"`))![1].id)
  const token = studio.world.tokens!.lead!.token as string
  const ask = (number: number) => studio.ask(`/api/v1/projects/${project}/build_runs/${idOf(number)}/measures`, { token })
  const { json } = await ask(40)
  expect(json.measures).toEqual([
    {
      ...size(1100)[0],
      usual: 1002,
      values: Array.from({ length: 40 }, (_, i) => ({
        build_run_id: idOf(i + 1),
        build_number: String(i + 1),
        value: i < 30 ? 1000 + (i % 3) : 1100 + (i % 3),
      })),
      jumps: [
        {
          before: 1001,
          after: 1100.5,
          first_build_run_id: idOf(31),
          last_build_run_id: idOf(31),
        },
      ],
    },
  ])
  expect((await ask(1)).json.measures).toMatchObject([
    { value: 1000, usual: null, values: [{ build_run_id: idOf(1) }], jumps: [] },
  ])
})
