import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { freePort } from './support/servers/free-port.ts'
import { describeWith } from './support/skippable.ts'
import { scratch } from './support/stand-in.ts'
import { openStudio } from './support/studio.ts'
import { workshop } from './support/studios/workshop.ts'
import { until } from './support/until.ts'

const guide = readFileSync(resolve(import.meta.dirname, '../docs/deployment.md'), 'utf8')
const exampleFor = (language: string) => new RegExp(`\`\`\`${language}\\n([^\`]*)\`\`\``).exec(guide)![1]!

interface Place {
  folder: string
  port: number
  service: number
}

/** The examples of the guide with only ports, certificate and, for Caddy, which would request a certificate, the host changed. */
const PROXIES: Record<string, (place: Place) => { file: string; settings: string; args: string[] }> = {
  nginx({ folder, port, service }) {
    const server = exampleFor('nginx')
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replaceAll('/etc/ssl/gold.example', `${folder}/gold.example`)
      .replace('127.0.0.1:8080', `127.0.0.1:${service}`)
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`)
    const file = join(folder, 'nginx.conf')
    return {
      file,
      settings: `daemon off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${paths.join('\n')}\n${server}}\n`,
      args: ['-p', folder, '-c', file, '-e', 'stderr'],
    }
  },
  caddy({ folder, port, service }) {
    const site = exampleFor('caddyfile')
      .replace('gold.example {', `https://localhost:${port} {\n\ttls ${folder}/gold.example.pem ${folder}/gold.example.key`)
      .replace('127.0.0.1:8080', `127.0.0.1:${service}`)
    const file = join(folder, 'Caddyfile')
    return {
      file,
      settings: `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`,
      args: ['run', '--config', file, '--adapter', 'caddyfile'],
    }
  },
  haproxy({ folder, port, service }) {
    writeFileSync(
      `${folder}/gold.example.combined.pem`,
      ['pem', 'key'].map((kind) => readFileSync(`${folder}/gold.example.${kind}`, 'utf8')).join(''),
    )
    const settings = exampleFor('haproxy')
      .replace('bind :443', `bind 127.0.0.1:${port}`)
      .replaceAll('/etc/ssl/gold.example', `${folder}/gold.example`)
      .replace('127.0.0.1:8080', `127.0.0.1:${service}`)
    const file = join(folder, 'haproxy.cfg')
    return { file, settings, args: ['-db', '-f', file] }
  },
}

for (const program of Object.keys(PROXIES))
  describeWith(program, 'openssl')(`behind ${program} as in the guide`, () => {
    test('REST, webhooks and the event stream work over TLS', async () => {
      const { folder, remove } = scratch()
      chmodSync(folder, 0o755)
      const certificate = ['-keyout', `${folder}/gold.example.key`, '-out', `${folder}/gold.example.pem`]
      execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', ...certificate], {
        stdio: 'pipe',
      })
      chmodSync(`${folder}/gold.example.key`, 0o644)
      const port = await freePort()
      const site = `https://localhost:${port}`
      const lines: string[] = []
      const studio = await openStudio(
        { ...workshop, integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }] },
        { service: { site, trustProxy: ['127.0.0.1'] }, rates: { requests: { points: 1000, seconds: 60 } } },
      )
      const { file, settings, args } = PROXIES[program]!({ folder, port, service: Number(new URL(studio.site).port) })
      writeFileSync(file, settings)
      const proxy = spawn(program, args, { env: { PATH: process.env.PATH, HOME: folder }, stdio: ['ignore', 'ignore', 'pipe'] })
      proxy.stderr.on('data', (chunk) => lines.push(String(chunk)))
      const closed = once(proxy, 'close')
      const ask = (path: string, { headers = {}, body }: { headers?: Record<string, string>; body?: string } = {}) =>
        new Promise<import('node:http').IncomingMessage>((answer, reject) => {
          const asked = request(`${site}${path}`, { method: body ? 'POST' : 'GET', headers, rejectUnauthorized: false }, answer)
          asked.on('error', reject).end(body)
        })
      const status = async (...asked: Parameters<typeof ask>) => {
        const answer = await ask(...asked)
        await text(answer)
        return answer.statusCode
      }
      try {
        await until(() => {
          if (proxy.exitCode !== null) throw new Error(lines.join(''))
          return status('/readyz').then(
            (code) => code === 200,
            () => false,
          )
        })
        expect(await status('/metrics')).toBe(404)
        const authorization = `Bearer ${studio.world.tokens!.lead!.token}`
        expect(await status('/api/v1/ping', { headers: { authorization } })).toBe(200)

        const stream = await ask('/api/v1/workspace/events/stream', { headers: { authorization } })
        let heard = ''
        stream.on('data', (chunk) => {
          heard += chunk
        })
        await until(() => heard !== '')
        const report = JSON.stringify({ job_name: 'night', build_number: 1, status: 'FAILURE', log: 'x'.repeat(2_000_000) })
        const webhook = `/webhooks/jenkins?token=${studio.world.integrations!.ci!.webhook_token}`
        expect(await status(webhook, { headers: { 'content-type': 'application/json' }, body: report })).toBe(200)
        // Received while the stream is still open: nothing buffers it.
        await until(() => heard.includes('build_run.failed'))
        stream.destroy()
      } finally {
        // Caddy would wait for unused connections; nginx has worker processes to end.
        proxy.kill(program === 'caddy' ? 'SIGKILL' : 'SIGTERM')
        await closed
        await studio.close()
        remove()
      }
    })
  })
