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
  summary: 'Import a world file; prints the new ids and secrets',
  args: { file: { help: 'World file (JSON, plain or gzipped), or - for standard input' } },
  flags: { passphrase_file: { ...passphraseFlag, help: 'File with the passphrase of the export in its first line' } },
  details: 'It imports everything or, on an error, nothing. The ids and secrets are always printed as JSON.',
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
