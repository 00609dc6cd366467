import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { PASSPHRASE } from '../contract/limits.ts'
import * as accounts from '../domain/accounts/accounts.ts'
import { usage } from '../terminal/failures.ts'
import { unreadable } from '../terminal/given-text.ts'
import { exportWorld } from '../world/export.ts'
import { accountId, id, words } from './arguments.ts'
import { command } from './command.ts'
import { showProgress } from './progress.ts'

export const passphraseFlag = {
  help: 'File with the passphrase in its first line; without it, no secrets are exported',
  value: 'file',
  read: words,
} as const

export async function passphraseIn(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw unreadable(file, error)
  })
  const [line = ''] = text.split(/\r?\n/)
  if (line.length < PASSPHRASE.minLength) throw usage(`The passphrase must have at least ${PASSPHRASE.minLength} characters.`)
  return line
}

export const exportAccount = command({
  name: 'export',
  summary: 'Export an account to a world file for admin load',
  args: { account: { help: 'Account id', read: accountId } },
  flags: {
    project: { help: 'Only this project id', value: 'project', read: id },
    out: { help: 'Output file (default: standard output)', value: 'file', read: words },
    passphrase_file: passphraseFlag,
  },
  details:
    'The file contains passwords, tokens, single sign-on, channels, outbound webhooks and the secrets of tools only with a passphrase, encrypted. Without one you have to enter them again. Exports from the web app never contain passwords, API tokens or single sign-on. docs/export.md lists what else is left out.',
  examples: ['admin export 1 --out studio.json', 'admin export 1 --project 1 --passphrase-file phrase.txt > cinder-coast.json'],
  async run({ args, flags, store }) {
    const passphrase = await passphraseIn(flags.passphrase_file)
    const { db, change, vault } = await store()
    await accounts.find(db, args.account)
    const output = flags.out === undefined ? process.stdout : createWriteStream(flags.out, { flags: 'wx', mode: 0o600 })
    const progress = showProgress(process.stderr)
    const settings = { vault, passphrase, audience: 'operator', onProgress: progress.update } as const
    // Recorded before anything is written: an interrupted export counts too.
    await change('export', args.account, async () => {}, {
      after: { project_id: flags.project, secrets: passphrase !== undefined },
    })
    await exportWorld(db, { account_id: args.account, project_id: flags.project }, settings, async (text) => {
      if (!output.write(text)) await once(output, 'drain')
    })
    if (flags.out !== undefined) {
      output.end()
      await finished(output)
    }
    progress.end()
  },
})
