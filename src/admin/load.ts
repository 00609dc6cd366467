import { createReadStream } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { recordLoad } from '../domain/audit/operators.ts'
import { unreadable } from '../terminal/given-text.ts'
import { loadWorld } from '../world/world.ts'
import { command } from './command.ts'
import { passphraseFlag, passphraseIn } from './export.ts'
import { showProgress } from './progress.ts'

export const load = command({
  name: 'load',
  makes: true,
  summary: 'create what a world file describes, all of it or nothing; prints the ids and secrets made',
  args: { file: { help: 'a JSON file, compressed with gzip or not, or - for standard input' } },
  flags: { passphrase_file: passphraseFlag },
  details: 'What it made is printed as JSON, with and without --json.',
  examples: ['admin load world.json > made.json', 'admin load - < world.json'],
  async run({ args: { file }, flags, out, store }) {
    const passphrase = await passphraseIn(flags.passphrase_file)
    if (file !== '-')
      await access(file, constants.R_OK).catch((error: unknown) => {
        throw unreadable(file, error)
      })
    const { db, vault, action } = await store()
    const progress = showProgress(process.stderr)
    try {
      const input = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 1 << 20 })
      const made = await loadWorld(db, input, {
        vault,
        passphrase,
        onProgress: progress.update,
        alongside: (db, _, touched) => recordLoad(db, action, touched),
      })
      progress.end()
      out.json(made)
    } catch (error) {
      progress.clear()
      throw error
    }
  },
})
