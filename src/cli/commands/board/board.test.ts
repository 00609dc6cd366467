import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine } from '../../../../test/support/callers/command-line.ts'
import { openLocalServer } from '../../../../test/support/servers/local-server.ts'
import { testWith } from '../../../../test/support/skippable.ts'
import { openStudio, type Studio } from '../../../../test/support/studio.ts'
import { type BreakageRoom, breakageRoom, brokenLog, openBreakageStudio } from '../../../../test/support/studios/breakage-room.ts'

let studio: Studio
let room: BreakageRoom
let line: CommandLine
beforeAll(async () => {
  studio = await openBreakageStudio()
  room = await breakageRoom(studio)
  line = new CommandLine({ GOLDMASTER_HOST: studio.site, GOLDMASTER_TOKEN: studio.world.tokens!.kim!.token as string })
})
afterAll(async () => {
  line?.close()
  await studio?.close()
})

const project = () => ['--project', String(room.project)]
let number = 0
/** Reports a build, and does what follows from it: a breakage opens or is fixed. */
async function report(job: string, status: 'failed' | 'success' | 'running') {
  await room.report({
    job,
    number: ++number,
    status,
    ...(status === 'failed' && { log: brokenLog(job).replace('src/', '/ws/game/src/') }),
  })
  await room.work()
}
/** The builds are of some day in the past. */
const RED = /^main red for \d+ \w+ \(Cook\), 1 running, 1 breakage$/m
const seen = (out: string) => out.replaceAll(/\x1b\[[\d;?]*[a-zA-Z]/g, '').replaceAll('\r', '')

test('status says that a project has no branch yet', async () => {
  const empty = await studio.load({ projects: [{ key: 'empty', account: studio.world.accounts!.owl!.id, name: 'Empty' }] })
  const words = ['status', '--project', String(empty.projects!.empty!.id)]
  expect(await line.run(words)).toMatchObject({ code: 0, out: 'no branch yet\n' })
})

test('status prints the state of the branch built last, its red jobs, running builds and breakages', async () => {
  await report('Cook', 'success')
  expect((await line.run(['status', ...project()])).out).toBe('main green\n')
  await report('Cook', 'failed')
  await report('Lint', 'running')
  expect((await line.run(['status', ...project()])).out).toMatch(RED)
  expect((await line.run(['status', 'release', ...project()])).out).toBe('release is unknown, 1 running, 1 breakage\n')
})

test('status --follow prints the line again only when an event changed it', async () => {
  const printed: string[] = []
  let asked = 0
  await line.run(['status', 'main', '--follow', ...project()], {
    watch(written, end) {
      printed.splice(0, Infinity, ...written.split('\n').filter(Boolean))
      if (printed.length === 1 && asked++ === 0) void report('Cook', 'success')
      if (/^main building, 1 running$/m.test(written)) end()
    },
  })
  expect(printed[0]).toMatch(RED)
  expect(printed.at(-1)).toBe('main building, 1 running')
  expect(new Set(printed).size).toBe(printed.length)
})

test('status --follow reads the state again if the service no longer has the events since the last one', async () => {
  let [streams, reads] = [0, 0]
  const server = await openLocalServer((request, response) => {
    if (request.url!.includes('/stream')) {
      streams++
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: reset\nid: 5\ndata: {}\n\n')
    }
    const isSecond = request.url!.includes('/branches') && ++reads === 2
    const pagination = { limit: 50, has_more: false, next_cursor: null }
    return response
      .writeHead(isSecond ? 422 : 200, { 'content-type': 'application/json' })
      .end(
        JSON.stringify(
          isSecond ? { error: 'second', message: 'Read again.' } : { branches: [], build_runs: [], breakages: [], pagination },
        ),
      )
  })
  const { out, err } = await line.run(['status', '--follow', '--project', '1'], {
    env: { GOLDMASTER_HOST: server.url, GOLDMASTER_TOKEN: 'x' },
    watch: (written, end) => written.includes('Read again.') && end(),
  })
  await server.close()
  expect([out, streams]).toEqual(['no branch yet\n', 1])
  expect(err).toContain('Read again.')
})

test('watch needs a terminal, and says what works without one', async () => {
  const { code, err } = await line.run(['watch', ...project()])
  expect([code, err]).toEqual([2, expect.stringContaining('goldmaster feed --follow')])
})

testWith('script')(
  'watch shows what is running and broken, changes with events, claims a breakage and leaves the screen',
  async () => {
    const done: string[] = []
    const once = (name: string, work: () => void) => {
      if (!done.includes(name)) {
        done.push(name)
        work()
      }
    }
    const { code, out } = await line.terminal(['watch', ...project()], {
      rows: 24,
      columns: 80,
      watch(written, _, type) {
        const text = seen(written)
        if (text.includes('Breakages (0)')) once('broke', () => void report('Bake', 'failed'))
        if (/> \d+ +nobody .*Bake/.test(text)) once('claims', () => type('c'))
        if (/Breakage \d+ is yours\./.test(text)) once('quits', () => type('q'))
      },
    })
    expect([code, done]).toEqual([0, ['broke', 'claims', 'quits']])
    expect(seen(out)).toContain("Bake: Bake.c:54:3: error: 'Bake' undeclared")
    expect(seen(out)).toMatch(/Running builds \(1\)\n {2}Lint #\d+ {2}main/)
    // The cursor and the screen from before are back.
    expect(out.trimEnd().endsWith('\x1b[?25h\x1b[?1049l')).toBe(true)
    expect(await room.breakages('?state=claimed')).toHaveLength(1)
  },
)

testWith('script')('watch draws nothing once it is left, whatever arrives late', async () => {
  await report('Bake', 'failed')
  let isLeft = false
  const { code, out } = await line.terminal(['watch', ...project()], {
    watch(written, _, type) {
      if (isLeft || !seen(written).includes('q quit')) return
      isLeft = true
      // The claim is answered after the program was left.
      type('cq')
    },
  })
  expect([code, out.trimEnd().endsWith('\x1b[?25h\x1b[?1049l')]).toEqual([0, true])
})

testWith('script')('watch survives a restart of the service, and shows what happened meanwhile', async () => {
  const first = await openStudio({}, { beside: studio })
  const port = Number(new URL(first.site).port)
  let second: Studio | undefined
  const steps = [
    {
      when: /> \d+ +user:\d+ .*Bake/,
      work: () => first.close(),
    },
    {
      when: /Reconnecting …/,
      async work() {
        await report('Sign', 'failed')
        second = await openStudio({}, { beside: studio, port })
      },
    },
    { when: /\d+ +nobody .*Sign/, work: () => report('Ship', 'failed') },
    { when: /\d+ +nobody .*Ship/, work: (type: (text: string) => void) => type('q') },
  ]
  const done: Promise<unknown>[] = []
  const { code, out } = await line.terminal(['watch', ...project()], {
    rows: 24,
    columns: 80,
    env: { GOLDMASTER_HOST: first.site },
    watch(written, _, type) {
      if (steps[0]?.when.test(seen(written))) done.push(Promise.resolve(steps.shift()!.work(type)))
    },
  })
  await Promise.all(done)
  await second?.close()
  expect([code, steps]).toEqual([0, []])
  const last = seen(out.slice(out.lastIndexOf('\x1b[H')))
  expect(last).toContain('Ship')
  expect(last).not.toContain('Reconnecting')
})
