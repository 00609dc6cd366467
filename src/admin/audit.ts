import { auditHead } from '../db/backup/audit-head.ts'
import * as accounts from '../domain/accounts/accounts.ts'
import * as chain from '../domain/audit/audit-chain.ts'
import * as audit from '../domain/audit/audit-log.ts'
import * as streams from '../domain/sending/audit-streams.ts'
import type { Noun } from '../terminal/command.ts'
import { usage } from '../terminal/failures.ts'
import { extra, main } from '../terminal/table.ts'
import { accountId, count, words } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'
import { backupPassphrase, openBackup } from './database/backup.ts'
import { secretOf } from './secret-input.ts'

const args = { account: { help: 'Account id', read: accountId } }

/** `4711:9f86…`, as in the service's own log. */
function link(text: string): chain.Link {
  const [, position, hash] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text.trim()) ?? []
  if (!position || !hash) throw new Error('It must be number:hash, with all 64 digits of the hash.')
  return { position: Number(position), hash: hash.toLowerCase() }
}

async function headIn(file: string, accountId: number): Promise<chain.Link> {
  const head = await auditHead(openBackup(file, await backupPassphrase(undefined)), accountId)
  if (!head) throw usage(`${file} has no audit log of account ${accountId}. Choose another backup.`)
  return head
}

const list = command({
  name: 'list',
  summary: 'List the audit log of an account, newest first',
  args,
  flags: { limit: { help: 'Maximum number of rows (default: 50)', value: 'count', read: count } },
  examples: ['admin audit list 1 --json'],
  async run({ args, flags: { limit = 50 }, out, store }) {
    const { db, vault } = await store()
    const { entries } = await audit.list(db, vault, args.account, { limit })
    out.answer(entries, () =>
      out.list(
        'entries',
        entries,
        ['id', 'at', main('action'), 'subject', 'actor', 'user_id', extra('token_id'), extra('ip_address')],
        'An entry appears when somebody changes something in the account.',
      ),
    )
  },
})

const verify = command({
  name: 'verify',
  summary: 'Check that no entry of an audit log was changed or removed',
  args,
  flags: {
    head: {
      help: 'Entry that must be in the audit log, as number:hash. The service prints the newest one every hour',
      value: 'head',
      read: link,
    },
    backup: { help: 'Backup whose newest entry must be in the log', value: 'file' },
  },
  details:
    'Exit code 1: an entry was changed or is missing.\nIf somebody rewrote the whole log in the database, only an entry saved elsewhere shows it: use --head or --backup.',
  examples: [
    'admin audit verify 1',
    'admin audit verify 1 --head 4711:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'admin audit verify 1 --backup monday.backup',
  ],
  async run({ args, flags, out, store }) {
    const noted = [flags.head, flags.backup && (await headIn(flags.backup, args.account))].flatMap((head) => head || [])
    const { db, vault } = await store()
    const verdict = await chain.verify(db, vault, args.account, noted)
    if (verdict.broken)
      throw new Error(
        `The chain breaks at entry ${verdict.broken.position}${verdict.broken.id === null ? '' : ` (id ${verdict.broken.id})`}: ${verdict.broken.why}.`,
      )
    const { entries, head } = verdict
    out.record({ entries, head })
  },
})

const stream = command({
  name: 'stream',
  summary: 'Show, set or stop the stream of an audit log to a SIEM',
  args,
  flags: {
    url: { help: `Destination: ${Object.keys(streams.PORTS).join('//…, ')}//…`, value: 'url', read: words },
    secret: {
      help: 'For https: bearer token, or whsec_… to sign; - reads standard input, none removes it',
      value: 'secret',
      read: words,
    },
    from_beginning: { help: 'Send all existing entries too, not only new ones' },
    off: { help: 'Stop the stream' },
  },
  examples: [
    'admin audit stream 1 --url syslog+tls://siem.studio.example:6514',
    'admin audit stream 1',
    'admin audit stream 1 --off',
  ],
  async run({ args: { account }, flags: { url, secret, from_beginning, off }, out, store }) {
    const { db, vault, change } = await store()
    await accounts.find(db, account)
    if (off) await change('audit_stream', account, (db) => streams.remove(db, account))
    else if (url !== undefined) {
      const chosen = secret === undefined ? undefined : secret === 'none' ? null : await secretOf(secret, 'Secret')
      await change('audit_stream', account, (db) => streams.set(db, vault, account, { url, secret: chosen, from_beginning }))
    } else if (secret !== undefined || from_beginning) throw usage('Missing --url')
    out.record((await streams.find(db, vault, account)) ?? { url: null })
  },
})

export const auditLog: Noun<AdminCommand> = {
  name: 'audit',
  summary: 'List, verify and stream the audit log of an account',
  commands: [list, verify, stream],
}
