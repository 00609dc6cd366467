import { CHAT_VENDORS } from '../contract/channels.ts'
import { PROVIDERS } from '../contract/sets.ts'
import { matchPeople } from '../domain/accounts/match-people.ts'
import { readPeopleList } from '../domain/accounts/people-list.ts'
import type { Noun } from '../terminal/command.ts'
import { fileText } from '../terminal/given-text.ts'
import { accountId, words } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'

const TOOLS = [...PROVIDERS, ...Object.keys(CHAT_VENDORS)]

const importList = command({
  name: 'import',
  summary: 'Match a tool’s list of its users with members',
  details:
    'A name with the verified email address of a member counts at once. Equal logins and names wait under People in the web app until an owner confirms them. Addresses are compared and not stored.',
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

export const people: Noun<AdminCommand> = {
  name: 'people',
  summary: 'Find out who is who in other tools',
  commands: [importList],
}
