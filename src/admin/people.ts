import { CHAT_VENDORS } from '../contract/channels.ts'
import { PROVIDERS } from '../contract/sets.ts'
import * as connectedAccounts from '../domain/accounts/connected-accounts.ts'
import { matchPeople } from '../domain/accounts/match-people.ts'
import { readPeopleList } from '../domain/accounts/people-list.ts'
import type { Noun } from '../terminal/command.ts'
import { fileText } from '../terminal/given-text.ts'
import { main } from '../terminal/table.ts'
import { accountId, idList, words } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'

const TOOLS = [...PROVIDERS, ...Object.keys(CHAT_VENDORS)]

const importList = command({
  name: 'import',
  summary: 'Match a tool’s list of its users with members',
  details:
    'A name with the verified email address of a member counts at once. Equal logins and names wait until an owner confirms them under People in the web app, or an operator with goldmaster admin people confirm. Addresses are compared and not stored.',
  args: { account: { help: 'Account id', read: accountId } },
  flags: {
    from: {
      help: 'Output of p4 users, or a table with commas whose first line is login,name,email; - for standard input',
      value: 'file',
      required: true,
      read: words,
    },
    provider: { help: 'Tool of the list', value: 'tool', values: TOOLS, required: true },
  },
  examples: [
    'admin people import 1 --from p4-users.txt --provider perforce',
    'admin people import 1 --from members.csv --provider github',
  ],
  async run({ args: { account }, flags: { from, provider }, out, store }) {
    const listed = readPeopleList(await fileText(from))
    const { change } = await store()
    out.record(await change('account', account, (db) => matchPeople(db, account, provider, listed, { isTrusted: true })))
  },
})

const account = { account: { help: 'Account id', read: accountId } }

const listNames = command({
  name: 'list',
  summary: 'List user names of members in tools, undecided ones first',
  args: account,
  examples: ['admin people list 1'],
  async run({ args: { account }, out, store }) {
    const { db } = await store()
    const found = await connectedAccounts.ofMembers(db, account)
    out.answer(found, () =>
      out.list(
        'connected_accounts',
        found,
        ['id', 'user_id', 'provider', main('uid'), 'found_by', 'state'],
        'Add some with goldmaster admin people import.',
      ),
    )
  },
})

const decide = (name: string, state: string, summary: string, details: string, run: typeof connectedAccounts.confirm) =>
  command({
    name,
    summary,
    details,
    args: { ...account, ids: { help: 'Ids of goldmaster admin people list, separated by commas', read: idList } },
    examples: [`admin people ${name} 1 12,15`],
    async run({ args: { account, ids }, out, store }) {
      const { change } = await store()
      await change('account', account, (db) => run(db, account, ids, null))
      out.record({ account, ids: ids.join(', '), state })
    },
  })

const confirm = decide(
  'confirm',
  'confirmed',
  'Confirm user names of members in tools',
  'Changes by these names then count for the members. If a name belongs to another member already, none is confirmed.',
  connectedAccounts.confirm,
)
const reject = decide(
  'reject',
  'rejected',
  'Reject user names of members in tools',
  'Changes by these names no longer count for the members. A confirmed name can be rejected too.',
  connectedAccounts.reject,
)

export const people: Noun<AdminCommand> = {
  name: 'people',
  summary: 'Find out who is who in other tools',
  commands: [listNames, importList, confirm, reject],
}
