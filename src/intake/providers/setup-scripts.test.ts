import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type LocalServer, openLocalServer } from '../../../test/support/servers/local-server.ts'
import { testWith } from '../../../test/support/skippable.ts'
import { until } from '../../../test/support/until.ts'
import { providers } from './index.ts'
import { loreRelay } from './lore/setup.ts'
import { perforce } from './perforce/index.ts'
import { perforceTrigger } from './perforce/setup.ts'
import { subversion } from './subversion/index.ts'
import { subversionHook } from './subversion/setup.ts'

interface Arrived {
  method: string | undefined
  url: string | undefined
  headers: IncomingHttpHeaders
  body: string
}

const SECRET = 'what the sender signs with'
const TOKEN = 'ab'.repeat(32)

describe.skipIf(process.platform === 'win32')('the scripts we provide', () => {
  let folder: string
  let server: LocalServer
  let arrived: Arrived[]
  let running: ChildProcess[]

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'goldmaster scripts '))
    mkdirSync(join(folder, 'bin'))
    mkdirSync(join(folder, 'work'))
    arrived = []
    running = []
    environment = {}
    server = await openLocalServer(async (request, reply) => {
      const { method, url, headers } = request
      arrived.push({ method, url, headers, body: await text(request) })
      reply.writeHead(202).end('{"status":"accepted"}')
    })
  })

  afterEach(async () => {
    for (const { pid } of running) stop(pid!)
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  let environment: NodeJS.ProcessEnv = {}
  const address = () => server.url

  const executable = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    chmodSync(join(folder, name), 0o755)
    return join(folder, name)
  }

  /** In a separate process group, so that leftover processes can be ended too. */
  const run = (script: string, ...args: string[]) => {
    const env = {
      ...process.env,
      ...environment,
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      TMPDIR: join(folder, 'work'),
    }
    const child = spawn(script, args, { env, stdio: 'ignore', detached: true })
    running.push(child)
    return child
  }

  const stop = (pid: number) => {
    try {
      process.kill(-pid)
    } catch {
      // Nothing of it is left.
    }
  }

  const expectSigned = (name: 'perforce' | 'lore' | 'subversion') => {
    const { headers, body } = arrived[0]!
    const unparsed = {
      path: name,
      headers: headers as Record<string, string>,
      raw: Buffer.from(body),
      url: '',
      received: new Date(),
      config: {},
    }
    expect(providers[name].verify(unparsed, [SECRET], true)).toBe(true)
    expect(providers[name].verify(unparsed, ['another'], true)).toBe(false)
  }

  describe('the Perforce trigger', () => {
    const DESCRIPTION = 'Fix "the" boss & 100% + more; `id` $(id) \\n é 龍\n\n\tindented\n... //depot/fake.png#1 add\nGM-42'
    const script = (base_url = address()) =>
      executable(
        'trigger.sh',
        perforceTrigger({ url: `${base_url}/webhooks/perforce?token=${TOKEN}`, token: TOKEN, base_url, id: 7 }),
      )

    /** Responds like the real one, for change 1234 only. */
    const standIn = () => {
      const indented = DESCRIPTION.split('\n').map((line) => `\t${line}`)
      const files = [
        '... //depot/art/ice dragon é.fbx#3 edit',
        '... //depot/art/a&b=c%2310.png#1 move/add',
        '... //depot/old.wav#2 delete',
      ]
      writeFileSync(join(folder, 'description'), `${DESCRIPTION}\n`)
      writeFileSync(
        join(folder, 'describe'),
        [
          'Change 1234 by DICE\\pensjo@ws on 2026/03/01 12:00:00',
          '',
          ...indented,
          '',
          'Affected files ...',
          '',
          ...files,
          '',
        ].join('\n'),
      )
      executable(
        'bin/p4',
        `#!/bin/sh
case "$*" in
  '-ztag -F %user% describe -s 1234') printf '%s\\n' 'DICE\\pensjo' ;;
  '-ztag -F %desc% describe -s 1234') cat '${folder}/description' ;;
  'describe -s 1234') cat '${folder}/describe' ;;
  '-ztag -F %user% describe -S -s 1234') echo kim ;;
  '-ztag -F %desc% describe -S -s 1234') echo Shelf ;;
  'describe -S -s 1234') printf '%s\\n' 'Shelved files ...' '' '... //depot/new.png#none add' '... //depot/old.png#2 edit' ;;
  *) echo "unexpected: $*" >&2; exit 1 ;;
esac
`,
      )
    }

    const fields = async () => {
      await until(() => arrived.length === 1)
      return Object.fromEntries(new URLSearchParams(arrived[0]?.body))
    }

    test('posts number, user, description and files as a form, with any characters', async () => {
      standIn()
      const [code] = await once(run(script(), '1234'), 'exit')
      expect(code).toBe(0)
      const body = await fields()
      expect(arrived[0]).toMatchObject({
        method: 'POST',
        url: `/webhooks/perforce?token=${TOKEN}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      expect(body).toEqual({
        changelist: '1234',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        user: 'DICE\\pensjo',
        description: `${DESCRIPTION}\n`,
        files: 'edit\t//depot/art/ice dragon é.fbx\nmove/add\t//depot/art/a&b=c%2310.png\ndelete\t//depot/old.wav\n',
      })
    })

    test('sends what the Perforce integration reads as a complete change', async () => {
      standIn()
      run(script(), '1234')
      const body = await fields()
      const facts = perforce.read({
        path: 'perforce',
        headers: {},
        raw: Buffer.from(''),
        body,
        url: '',
        received: new Date(),
        config: {},
      })
      expect(facts).toEqual([
        expect.objectContaining({
          identifier: '1234',
          author: 'DICE\\pensjo',
          description: DESCRIPTION,
          files: [
            { path: '//depot/art/ice dragon é.fbx', action: 'edit' },
            { path: '//depot/art/a&b=c%2310.png', action: 'move/add' },
            { path: '//depot/old.wav', action: 'delete' },
          ],
        }),
      ])
      expect(facts[0]).not.toHaveProperty('incomplete')
    })

    testWith('openssl')('signs the form if there is a secret', async () => {
      standIn()
      environment = { GOLDMASTER_WEBHOOK_SECRET: SECRET }
      run(script(), '1234')
      expect(await fields()).toMatchObject({ changelist: '1234', user: 'DICE\\pensjo' })
      expectSigned('perforce')
    })

    test('reports a shelf with its files as pending', async () => {
      standIn()
      run(script(), '1234', 'shelved')
      const unparsed = { path: 'perforce', headers: {}, raw: Buffer.from(''), url: '', received: new Date(), config: {} }
      const [fact] = perforce.read({ ...unparsed, body: await fields() })
      expect(fact).toMatchObject({
        identifier: '1234',
        pending: true,
        author: 'kim',
        files: [
          { path: '//depot/new.png', action: 'add' },
          { path: '//depot/old.png', action: 'edit' },
        ],
      })
    })

    test('sends only the number when p4 fails, and cleans up after itself', async () => {
      executable('bin/p4', '#!/bin/sh\necho "Your session has expired, please login again." >&2\nexit 1\n')
      run(script(), '99')
      expect(Object.keys(await fields())).toEqual(['changelist', 'timestamp'])
      await until(() => readdirSync(join(folder, 'work')).length === 0)
    })

    test('neither fails nor delays a submit when the server hangs or is unreachable', async () => {
      executable('bin/p4', '#!/bin/sh\nsleep 120\n')
      const begun = Date.now()
      expect((await once(run(script('http://127.0.0.1:1'), '1234'), 'exit'))[0]).toBe(0)
      expect(Date.now() - begun).toBeLessThan(110_000)
    })

    test('sends nothing for an invalid number', async () => {
      standIn()
      for (const change of ['default', '', '12; id']) expect((await once(run(script(), change), 'exit'))[0]).toBe(0)
      await once(run(script(), '1234'), 'exit')
      expect(await fields()).toMatchObject({ changelist: '1234' })
    })
  })

  describe('the Subversion hook', () => {
    const LOG = 'Fix "the" boss & 100% + more; `id` $(id) \\n é 龍\n\nGM-42\n'
    const script = (base_url = address()) =>
      executable(
        'post-commit',
        subversionHook({ url: `${base_url}/webhooks/subversion?token=${TOKEN}`, token: TOKEN, base_url, id: 7 }),
      )

    /** Responds like the real one, for revision 61 only. */
    const standIn = () => {
      writeFileSync(join(folder, 'log'), LOG)
      executable(
        'bin/svnlook',
        `#!/bin/sh
case "$LC_ALL" in *[uU][tT][fF]*) ;; *) echo 'Gro{U+00DF}e' >&2 ;; esac
case "$*" in
  "uuid /srv/svn/my game") echo 8ffe09a6 ;;
  "author -r 61 /srv/svn/my game") echo bert ;;
  "date -r 61 /srv/svn/my game") echo '2026-11-15 12:41:03 +0000 (Sun, 15 Nov 2026)' ;;
  "log -r 61 /srv/svn/my game") cat '${folder}/log' ;;
  "changed -r 61 /srv/svn/my game") printf 'U   trunk/a&b=c%%.png\\n_U  trunk/x\\nD   trunk/Größe mit Leerzeichen.uasset\\n' ;;
  *) echo "unexpected: $*" >&2; exit 1 ;;
esac
`,
      )
    }

    const received = async () => {
      await until(() => arrived.length === 1)
      return Object.fromEntries(new URLSearchParams(arrived[0]?.body))
    }

    test('posts what the Subversion integration reads as a complete change, with any characters', async () => {
      standIn()
      expect((await once(run(script(), '/srv/svn/my game', '61', '60-1'), 'exit'))[0]).toBe(0)
      const body = await received()
      expect(arrived[0]!.url).toBe(`/webhooks/subversion?token=${TOKEN}`)
      const unparsed = { path: 'subversion', headers: {}, raw: Buffer.from(''), url: '', received: new Date(), config: {} }
      expect(subversion.read({ ...unparsed, body })).toEqual([
        expect.objectContaining({
          identifier: 'my game@61',
          author: 'bert',
          timestamp: '2026-11-15T12:41:03.000Z',
          description: LOG.trimEnd(),
          branch: 'trunk',
          files: [
            { path: 'a&b=c%.png', action: 'edit' },
            { path: 'Größe mit Leerzeichen.uasset', action: 'delete' },
          ],
        }),
      ])
      await until(() => readdirSync(join(folder, 'work')).length === 0)
    })

    testWith('openssl')('signs the form if there is a secret', async () => {
      standIn()
      environment = { GOLDMASTER_WEBHOOK_SECRET: SECRET }
      run(script(), '/srv/svn/my game', '61')
      expect(await received()).toMatchObject({ revision: '61' })
      expectSigned('subversion')
    })

    test('never fails a commit, and sends nothing for an invalid number', async () => {
      executable('bin/svnlook', '#!/bin/sh\nexit 1\n')
      for (const revision of ['', 'HEAD', '6; id']) expect((await once(run(script(), '/srv', revision), 'exit'))[0]).toBe(0)
      expect((await once(run(script('http://127.0.0.1:1'), '/srv', '61'), 'exit'))[0]).toBe(0)
      expect(arrived).toEqual([])
    })
  })

  testWith('openssl')('the Lore relay forwards pushes one by one, and nothing else', async () => {
    const pushed = (revision: string) =>
      JSON.stringify({
        tagName: 'notificationBranchPushed',
        data: { revision, revisionNumber: 7, branch: '01', userId: `o'neil "é" $(id)` },
      })
    const locked = JSON.stringify({ tagName: 'notificationResourceLocked', data: {} })
    writeFileSync(join(folder, 'events'), `${[pushed('aa'), locked, pushed('bb')].join('\n')}\n`)
    executable(
      'bin/lore',
      `#!/bin/sh\n[ "$*" = '--json notification subscribe' ] || exit 1\ncat '${folder}/events'\nexec sleep 60\n`,
    )
    environment = { GOLDMASTER_WEBHOOK_SECRET: SECRET }
    run(executable('relay.sh', loreRelay({ url: '', token: TOKEN, base_url: address(), id: 7 })))
    await until(() => arrived.length === 2)
    expect(arrived.map(({ body }) => body)).toEqual([pushed('aa'), pushed('bb')])
    expectSigned('lore')
    expect(arrived[0]).toMatchObject({
      url: '/webhooks/lore',
      headers: { 'x-service-token': TOKEN, 'content-type': 'application/json' },
    })
  })
})
