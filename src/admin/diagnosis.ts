import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as accounts from '../domain/accounts/accounts.ts'
import { labeledLogs } from '../domain/investigations/labeled-logs.ts'
import type { Noun } from '../terminal/command.ts'
import { accountId } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'

const exportLogs = command({
  name: 'export',
  summary: 'Write the logs of corrected builds with their labels',
  args: { folder: { help: 'A new folder' } },
  flags: { account: { help: 'Id of the account', value: 'account', read: accountId, required: true } },
  details:
    'Each log is a file below files/. labels.jsonl has a line for each: the corrected line and category. The logs are as the CI sent them, so keep the folder private.',
  examples: ['admin diagnosis export corrected-logs --account 1'],
  async run({ args, flags, out, store }) {
    const { db, change } = await store()
    await accounts.find(db, flags.account)
    await mkdir(args.folder, { mode: 0o700 })
    await mkdir(join(args.folder, 'files'))
    await change('export', flags.account, async () => {}, { after: { corrected_logs: true } })
    let count = 0
    for await (const { id, log, line, category } of labeledLogs(db, flags.account)) {
      const file = join('files', `${id}.log`)
      await writeFile(join(args.folder, file), log)
      const label = { file, error_lines: line === null ? [] : [line], ...(category !== null && { category }) }
      await appendFile(join(args.folder, 'labels.jsonl'), `${JSON.stringify(label)}\n`)
      count++
    }
    out.answer({ folder: args.folder, logs: count }, () =>
      out.say(`${count} corrected ${count === 1 ? 'log' : 'logs'} in ${args.folder}`),
    )
  },
})

export const diagnosis: Noun<AdminCommand> = {
  name: 'diagnosis',
  summary: 'Export corrected findings as labeled logs',
  commands: [exportLogs],
}
