import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Assistant, connectHttp } from '../../test/support/callers/assistant.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { visitor, workshop } from '../../test/support/studios/workshop.ts'

let studio: Studio
let assistant: Assistant
const { id, tokenOf, inside } = visitor(() => studio)

beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    build_runs: [
      {
        project: 'star',
        ci_job_name: 'Cook',
        build_number: '7',
        branch: '//game/main',
        kind: 'preflight',
        shelf: '4711',
        status: 'completed',
      },
    ],
  })
  assistant = await connectHttp(studio.site, tokenOf('lead'))
})
afterAll(async () => {
  await assistant.client.close()
  await studio.close()
})

const call = (args: object, project = 'star') => assistant.call('list_branches', { project_id: id('projects', project), ...args })

test('an assistant gets the same verdict of a preflight as the REST API', async () => {
  const { json } = await inside('/preflight?shelf=4711')
  expect(json).toMatchObject({ verdict: 'passed', jobs: [{ job: 'Cook' }] })
  expect((await call({ preflight: 'shelf=4711' })).data).toMatchObject({ preflight: json })
  expect((await call({ preflight: 'shelf=1' })).data).toMatchObject({ preflight: { verdict: 'unknown', jobs: [] } })
  expect((await call({ preflight: 'pull_request=4711' })).data).toMatchObject({ preflight: { verdict: 'unknown', jobs: [] } })
  // Another account has no such project.
  expect(await call({ preflight: 'shelf=4711' }, 'den')).toMatchObject({ error: true })
})

test.each([
  { preflight: '4711' },
  { preflight: 'build=1' },
  { preflight: 'shelf=4711', branch: 'main' },
  { preflight: 'shelf=' },
])('an unclear question about a preflight is refused: %j', async (args) => {
  expect(await call(args)).toMatchObject({ error: true, text: expect.stringMatching(/preflight/) })
})
