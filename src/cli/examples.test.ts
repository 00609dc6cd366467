import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { admin } from '../../test/support/admin.ts'
import { CLIENT } from '../../test/support/built.ts'
import { performed } from '../../test/support/callers/in-process.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { type DemoAccess, loadDemo } from '../demo/load.ts'
import { operatorCommands } from '../service/operate.ts'
import { buildProgram } from './main.ts'
import { helpOf } from './program/manual.ts'

const beside = Object.fromEntries(Object.entries(operatorCommands).map(([name, make]) => [name, async () => make()]))

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap((inner) => leaves(inner as Command))

/** The lines below `Examples:`, up to an empty one. */
const examplesOf = (command: Command): string[] =>
  (helpOf(command).split('\nExamples:\n')[1]?.split('\n\n')[0] ?? '').split('\n').flatMap((line) => line.trim() || [])

const whole = await buildProgram(beside)
const examples = leaves(whole).flatMap((command) => examplesOf(command))

/** The words of our own command in a line of a shell: up to a pipe or a redirection, with a number for what another command prints. */
function wordsOf(line: string): string[] {
  const outer = line.replaceAll(/\$\(.*?\)/g, '1').match(/(?:^|\s)goldmaster ((?:'[^']*'|"[^"]*"|[^|<>&'"])*)/)
  const own = (outer ?? line.match(/\$\(goldmaster ([^)]*)\)/)!)[1]!
  return [...own.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'))
}

describe('the examples of the help', () => {
  test('exist for every command', () => {
    expect(leaves(whole).filter((command) => examplesOf(command).length === 0)).toEqual([])
    expect(examples.length).toBeGreaterThan(150)
  })

  test.each(examples)('%s is understood', async (line) => {
    const words = wordsOf(line)
    const parsed = await buildProgram(beside, words)
    for (const leaf of leaves(parsed)) leaf.action(() => {})
    await parsed.parseAsync(words, { from: 'user' })
  })
})

describe('on the demo', () => {
  let studio: Studio
  let access: DemoAccess
  const folder = mkdtempSync(join(tmpdir(), 'goldmaster-examples-'))

  beforeAll(async () => {
    studio = await openStudio()
    access = await loadDemo(studio.db, studio.service.vault, new Date())
    writeFileSync(join(folder, 'goldmaster'), `#!/bin/sh\nexec '${process.execPath}' '${CLIENT}' "$@"\n`)
    chmodSync(join(folder, 'goldmaster'), 0o755)
    expect(await inShell('goldmaster use 1')).toMatchObject({ status: 0 })
    // Examples inside this process read and write the project of the same folder.
    vi.spyOn(process, 'cwd').mockReturnValue(folder)
  })
  afterAll(async () => {
    vi.mocked(process.cwd).mockRestore()
    await studio.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const env = () => ({
    XDG_CONFIG_HOME: join(folder, 'config'),
    GOLDMASTER_HOST: studio.site,
    GOLDMASTER_TOKEN: access.token,
  })

  const inShell = (line: string) =>
    new Promise<{ status: unknown; stderr: string }>((done) => {
      const PATH = `${folder}${delimiter}${process.env.PATH}`
      execFile('bash', ['-o', 'pipefail', '-c', line], { cwd: folder, env: { ...env(), PATH } }, (error, _, stderr) =>
        done({ status: error?.code ?? 0, stderr }),
      )
    })

  /** What changes nothing at the service and needs no file, browser, server or time of its own. */
  const READS =
    /^goldmaster (?!admin)(?:\w+ (?:list|show|log|changes|compare)|lkg|branches(?! \w*mark)|members|feed|whoami|use|api GET|alias|config|completion)\b(?!.*(?:--web|--follow|--host))/
  const readers = examples.filter((line) => READS.test(line))

  test('reading examples cover every noun', () => {
    expect(readers.length).toBeGreaterThan(45)
    expect(new Set(readers.map((line) => line.split(' ')[1]))).toEqual(
      new Set(
        'projects tasks builds tests measures agents breakages corrections changes assets approvals comments previews deployments branches lkg members feed whoami use api alias config completion'.split(
          ' ',
        ),
      ),
    )
  })

  // A setting has to be there before it is read.
  const inOrder = [...readers].sort((a, b) => Number(b.includes(' set ')) - Number(a.includes(' set ')))

  /** Only a line with other commands, or with a folder of its own, needs a shell. */
  const isPlain = (line: string) => !/[|<>&;$*~]/.test(line)

  test.each(inOrder)('%s works', async (line) => {
    if (isPlain(line)) return void (await performed(wordsOf(line), { env: env() }))
    const { status, stderr } = await inShell(line)
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  })

  const SHOWN =
    /^goldmaster admin (?:status|(?:account|user|project|token|integration|deliveries|webhook|ugs-token|rule|audit) (?:list|health|verify)|(?:account|deliveries) show)\b(?!.*(?:--head|--backup|example\.com))/

  test.each(examples.filter((line) => SHOWN.test(line)))('%s works', async (line) => {
    await admin({ db: studio.db, vault: studio.service.vault }, ...wordsOf(line).slice(1))
  })
})
