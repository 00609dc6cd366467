import * as accounts from '../domain/accounts/accounts.ts'
import * as audit from '../domain/audit/audit-log.ts'
import * as streams from '../domain/audit/streams.ts'
import type { Noun } from '../terminal/command.ts'
import { usage } from '../terminal/failures.ts'
import { extra, main } from '../terminal/table.ts'
import { accountId, count, words } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'
import { secretOf } from './secret-input.ts'

const args = { account: { help: 'the id of the account', read: accountId } }

const list = command({
  name: 'list',
  summary: 'who changed what in an account, newest first',
  args,
  flags: { limit: { help: 'how many (default: 50)', value: 'count', read: count } },
  examples: ['admin audit list 1 --json'],
  async run({ args, flags: { limit = 50 }, out, store }) {
    const { entries } = await audit.list((await store()).db, args.account, { limit })
    out.answer(entries, () =>
      out.list('entries', entries, [
        'id',
        'at',
        main('action'),
        'subject',
        'actor',
        'user_id',
        extra('token_id'),
        extra('ip_address'),
      ]),
    )
  },
})

const verify = command({
  name: 'verify',
  summary: 'follow the chain of an account’s audit log: says where an entry was changed or is missing, and then ends with 1',
  args,
  examples: ['admin audit verify 1'],
  async run({ args, out, store }) {
    const verdict = await audit.verify((await store()).db, args.account)
    if (verdict.broken)
      throw new Error(
        `The chain breaks at entry ${verdict.broken.position}${verdict.broken.id === null ? '' : ` (id ${verdict.broken.id})`}: ${verdict.broken.why}.`,
      )
    out.record({ entries: verdict.entries, head: verdict.head })
  },
})

const stream = command({
  name: 'stream',
  summary: 'show where an account’s audit log is sent as it grows, or send it elsewhere',
  args,
  flags: {
    url: { help: `where to: ${Object.keys(streams.PORTS).join('//…, ')}//…`, value: 'url', read: words },
    secret: {
      help: 'of an address of the web: a bearer token, or whsec_… to sign with; - reads it from standard input, none takes it away',
      value: 'secret',
      read: words,
    },
    from_beginning: { help: 'send all entries, not only those to come' },
    off: { help: 'send it nowhere' },
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
    } else if (secret !== undefined || from_beginning) throw usage('Give --url with it')
    out.record((await streams.find(db, vault, account)) ?? { url: null })
  },
})

export const auditLog: Noun<AdminCommand> = {
  name: 'audit',
  summary: 'who changed what, and whether the log is whole',
  commands: [list, verify, stream],
}
