import * as accounts from '../domain/accounts/accounts.ts'
import * as projectSettings from '../domain/accounts/project-settings.ts'
import * as users from '../domain/accounts/users.ts'
import type { Noun } from '../terminal/command.ts'
import { usage } from '../terminal/failures.ts'
import { main } from '../terminal/table.ts'
import { accountId, words } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'

const add = command({
  name: 'add',
  summary: 'make a project in an account, owned by one of its people',
  flags: {
    account: { help: 'the account it belongs to', value: 'account', read: accountId, required: true },
    name: { help: 'what it is called', value: 'name', read: words, required: true },
    engine: { help: 'such as unreal, unity or godot (default: none)', value: 'engine', read: words },
    owner: { help: 'who owns it: id or e-mail address of somebody of the account', value: 'user', required: true },
  },
  examples: ['admin project add --account 1 --name "Cinder Coast" --engine unreal --owner lead@example.com'],
  async run({ flags: { account, name, engine = '', owner }, out, store }) {
    const { db } = await store()
    const { id } = await accounts.find(db, account)
    const user = await users.find(db, owner)
    if (!user.account_ids.includes(id)) throw usage(`${owner} does not belong to account ${id}`)
    out.record(await projectSettings.create(db, id, user.id, { name, engine }))
  },
})

const list = command({
  name: 'list',
  summary: 'all projects, or those of an account',
  flags: { account: { help: 'only of this one', value: 'account', read: accountId } },
  examples: ['admin project list --account 1'],
  async run({ flags, out, store }) {
    const found = await projectSettings.list((await store()).db, flags.account)
    out.answer(found, () => out.list('projects', found, ['id', main('name'), 'engine', 'status', 'account_id']))
  },
})

export const project: Noun<AdminCommand> = { name: 'project', summary: 'games of an account', commands: [add, list] }
