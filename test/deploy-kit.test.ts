import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SaxesParser } from 'saxes'
import { describe, expect, test } from 'vitest'
import { SECRET_SETTINGS } from '../src/service/environment.ts'
import { testWith } from './support/skippable.ts'
import { scratch } from './support/stand-in.ts'

const DEPLOY = resolve(import.meta.dirname, '../deploy')
const read = (path: string) => readFileSync(join(DEPLOY, path), 'utf8')
const documented = new Set(
  [...readFileSync(resolve(DEPLOY, '../docs/configuration.md'), 'utf8').matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name!),
)

/** The settings that each part of the kit sets for the service, apart from those of others. */
const SET = {
  'compose/compose.yaml': /^ {6}([A-Z_]+): /gm,
  'systemd/goldmaster.service': /\b([A-Z_]{2,})=/g,
  'helm/goldmaster/values.yaml': /^ {2}([A-Z_]+): /gm,
  'helm/goldmaster/templates/serve.yaml': /name: ([A-Z_]+),/g,
  'helm/goldmaster/templates/work.yaml': /name: ([A-Z_]+),/g,
  'helm/goldmaster/templates/_helpers.tpl': /name: ([A-Z_]+),/g,
  Dockerfile: /\b([A-Z_]+)=/g,
}
const OTHERS = /^(NODE_ENV|POSTGRES_\w+|SITE)$/

test.each(Object.entries(SET))('%s sets only known settings', (path, pattern) => {
  const names = [...read(path).matchAll(pattern)].map(([, name]) => name!).filter((name) => !OTHERS.test(name))
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter((name) => !documented.has(name))).toEqual([])
})

test('templates of the chart use only existing values', () => {
  const values = read('helm/goldmaster/values.yaml')
  const templates = readdirSync(join(DEPLOY, 'helm/goldmaster/templates')).map((name) =>
    read(`helm/goldmaster/templates/${name}`),
  )
  const used = new Set(
    templates.flatMap((text) =>
      [...text.matchAll(/\.Values\.(\w+)(?:\.(\w+))?/g)].map(([, first, second]) => [first!, second].filter(Boolean).join('.')),
    ),
  )
  expect(used.size).toBeGreaterThan(10)
  for (const path of used) {
    const [first, second] = path.split('.')
    expect(values, path).toMatch(new RegExp(`^${first}:${second === undefined ? '' : `[^]*?^ {2}${second}:`}`, 'm'))
  }
})

describe('the chart', () => {
  const template = (name: string) => read(`helm/goldmaster/templates/${name}`)

  test('does not expose metrics: their port is in neither service nor ingress', () => {
    const [deployment, service] = template('serve.yaml').split('---')
    expect(deployment).toContain("{ name: HEALTH_PORT, value: '8081' }")
    expect(deployment).toContain("prometheus.io/port: '8081'")
    expect([...service!.matchAll(/targetPort: (\w+)/g)].map(([, port]) => port)).toEqual(['http'])
    expect(template('ingress.yaml')).toContain('port: { name: http }')
  })

  test('trusts no proxy by default', () => {
    expect(read('helm/goldmaster/values.yaml').replaceAll(/#.*/g, '')).not.toContain('TRUST_PROXY')
  })

  test('mounts secrets as files that the service can read, and names each of them', () => {
    const values = read('helm/goldmaster/values.yaml')
    const [, listed] = /^secretKeys: \[(.*)\]$/m.exec(values)!
    for (const name of listed!.split(', ')) expect(SECRET_SETTINGS).toContain(name)
    for (const name of SECRET_SETTINGS) expect(values).toContain(name)
    expect(template('_helpers.tpl')).toContain('{{ $name }}_FILE')
    expect(template('_helpers.tpl')).not.toContain('envFrom')
  })

  test('gives pods no service account token, spreads them, evicts one at a time, and restricts access to them', () => {
    expect(template('_helpers.tpl')).toContain('automountServiceAccountToken: false')
    expect(template('account.yaml')).toContain('automountServiceAccountToken: false')
    for (const name of ['serve.yaml', 'work.yaml']) {
      expect(template(name)).toContain('include "goldmaster.spread"')
      expect(template(name)).toContain('kind: PodDisruptionBudget')
    }
    expect(template('network.yaml')).toContain('kind: NetworkPolicy')
  })
})

/** The tags, texts and ends of an XML document, in their order; throws if it is not well-formed. */
function partsOf(path: string) {
  const parts: string[] = []
  const parser = new SaxesParser()
  parser.on('opentag', ({ name }) => void parts.push(`<${name}>`))
  parser.on('text', (text) => text.trim() && void parts.push(text.trim()))
  parser.on('error', (error) => {
    throw error
  })
  parser.write(read(path)).close()
  return parts
}

test('launchd gets a property list: keys with their values, and the variables of the service', () => {
  const [plist, dict, ...parts] = partsOf('launchd/com.goldmaster.service.plist')
  expect([plist, dict]).toEqual(['<plist>', '<dict>'])
  const keys = parts.flatMap((part, index) => (part === '<key>' ? [parts[index + 1]!] : []))
  const known = ['Label', 'ProgramArguments', 'UserName', 'EnvironmentVariables', 'RunAtLoad', 'KeepAlive', 'ExitTimeOut']
  expect(keys).toEqual(expect.arrayContaining([...known, 'StandardOutPath', 'StandardErrorPath']))
  // A value follows each key.
  for (const [index, part] of parts.entries()) if (part === '<key>') expect(parts[index + 2]).toMatch(/^<(?!key)/)
  expect(keys.filter((key) => /^[A-Z_]+$/.test(key) && !documented.has(key) && !OTHERS.test(key))).toEqual(['PATH'])
})

test('WinSW gets the settings of the service, and an account that is no administrator', () => {
  const parts = partsOf('windows-service/goldmaster.xml')
  expect(parts.slice(0, 3)).toEqual(['<service>', '<id>', 'goldmaster'])
  const textOf = (tag: string) => parts[parts.indexOf(`<${tag}>`) + 1]
  // Of the two ways to name an account, each of its versions knows one and ignores the other.
  expect(['domain', 'user', 'username'].map(textOf)).toEqual(['NT AUTHORITY', 'LocalService', 'NT AUTHORITY\\LocalService'])
  const [, program] = /"(.+)" serve$/.exec(textOf('arguments')!)!
  const guide = readFileSync(resolve(DEPLOY, '../docs/windows.md'), 'utf8')
  const [, prefix] = /npm install --global --prefix "(.+?)"/.exec(guide)!
  expect(program).toBe(`${prefix}\\node_modules\\goldmaster\\dist\\main.js`)
  expect(guide).toContain(`\\"${program}\\" serve`)
  const names = [...read('windows-service/goldmaster.xml').matchAll(/<env name="(\w+)"/g)].map(([, name]) => name!)
  expect(names.filter((name) => !documented.has(name))).toEqual(['NODE_ENV'])
})

test('systemd restarts the service however often it ends', () => {
  const [unit] = read('systemd/goldmaster.service').split('[Service]')
  expect(unit).toMatch(/^StartLimitIntervalSec=0$/m)
})

testWith('systemd-analyze')('systemd accepts the unit', () => {
  const { folder, remove } = scratch()
  // Its program is not installed here.
  writeFileSync(
    join(folder, 'goldmaster.service'),
    read('systemd/goldmaster.service').replace('/usr/local/bin/goldmaster', process.execPath),
  )
  const { stderr, status } = spawnSync('systemd-analyze', ['verify', join(folder, 'goldmaster.service')], { encoding: 'utf8' })
  remove()
  expect([status, stderr.split('\n').filter((line) => line.includes('goldmaster.service'))]).toEqual([0, []])
})
