import { distribute as distributeTables, type Plan, planDistribution } from '../../db/distributed/distribute.ts'
import { migrate } from '../../db/migrate.ts'
import { openMigrationSession } from '../../db/migration-session.ts'
import { PLACEMENTS } from '../../domain/accounts/table-placement.ts'
import { rawDatabaseCommand } from '../command.ts'
import { showProgress } from '../progress.ts'

export const distribute = rawDatabaseCommand({
  name: 'distribute',
  makes: true,
  summary: 'Distribute accounts over several servers with Citus',
  flags: { yes: { help: 'Do it; without this, only show what would happen' } },
  details:
    'For very large services: docs/scale.md says when, how to prepare the servers, and what does not work then.\nDATABASE_URL is the database on the coordinator, which has the extension citus and knows its workers. It may be empty or filled.\nStop the service first and make a backup: there is no way back except restoring it into another database.\nIt distributes everything or nothing. If it is interrupted, run it again.',
  examples: ['admin distribute', 'admin distribute --yes'],
  async run({ flags: { yes }, out, store }) {
    const { url, log } = await store()
    const open = () => openMigrationSession(url, log)
    const session = await open()
    const plan = await planDistribution(session.client, PLACEMENTS).finally(() => session.end())
    if (!yes) {
      out.answer({ ...plan, distributed: false }, () => {
        for (const line of linesOf(plan)) out.line(line)
        out.line('Nothing was changed. To distribute, stop the service, make a backup and add --yes.')
      })
      return
    }
    await migrate(url, log)
    const progress = showProgress(process.stderr)
    const migrated = await open()
    const of = plan.tables.copied + plan.tables.by_account
    await distributeTables(migrated, PLACEMENTS, (done) => progress.update({ [`of ${of} tables`]: done })).finally(() => {
      progress.clear()
      return migrated.end()
    })
    out.answer({ ...plan, distributed: true }, () => {
      for (const line of linesOf(plan)) out.line(line)
      out.line('Done. Start the service with the same DATABASE_URL, without a pooler.')
    })
  },
})

const linesOf = ({ workers, tables, accounts, bytes }: Plan) => [
  `Workers: ${workers.join(', ')}`,
  `Distributed by account: ${tables.by_account} tables of ${accounts.toLocaleString('en')} ${accounts === 1 ? 'account' : 'accounts'}`,
  `Copied to every server: ${tables.copied} tables`,
  `Only on the coordinator: ${tables.central} tables`,
  `Size of the database: ${Math.ceil(bytes / 1_048_576).toLocaleString('en')} MB`,
]
