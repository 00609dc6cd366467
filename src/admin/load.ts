import { createReadStream } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import type { Command } from 'commander'
import { loadWorld } from '../world/world.ts'
import { printJson } from './output.ts'
import { showProgress } from './progress.ts'
import { type Open, using } from './store.ts'

export function load(admin: Command, open: Open) {
  admin
    .command('load')
    .description('create what a world file describes, all of it or nothing; prints the ids and secrets made')
    .argument('<file>', 'a JSON file, or - for standard input')
    .option('--json', 'print JSON, as it always does')
    .addHelpText(
      'after',
      `
Example:
  goldmaster admin load world.json > made.json
  echo '{"accounts": [{"key": "owl", "name": "Night Owl"}]}' | goldmaster admin load -`,
    )
    .action(async (file: string) => {
      if (file !== '-') await readable(file)
      await using(open, async ({ db, vault }) => {
        const progress = showProgress(process.stderr)
        try {
          const input = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 1 << 20 })
          const made = await loadWorld(db, input, { vault, onProgress: progress.update })
          progress.end()
          printJson(made)
        } catch (error) {
          progress.clear()
          throw error
        }
      })
    })
}

/** Before the database is opened, which may have to start first. */
async function readable(file: string) {
  try {
    await access(file, constants.R_OK)
  } catch (error) {
    throw new Error(`Cannot read ${file} (${(error as NodeJS.ErrnoException).code}).`)
  }
}
