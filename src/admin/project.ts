import * as accounts from '../domain/accounts/accounts.ts'
import { deleteProject } from '../domain/accounts/deletion.ts'
import * as users from '../domain/accounts/users.ts'
import * as projectSettings from '../domain/projects/project-settings.ts'
import type { Noun } from '../terminal/command.ts'
import { usage } from '../terminal/failures.ts'
import { main } from '../terminal/table.ts'
import { accountId, id, words } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'
import { showProgress } from './progress.ts'
import { confirmName } from './secret-input.ts'

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
    const { db, change } = await store()
    const { id } = await accounts.find(db, account)
    const user = await users.find(db, owner)
    if (!user.account_ids.includes(id)) throw usage(`${owner} does not belong to account ${id}`)
    out.record(await change('project', undefined, (db) => projectSettings.create(db, id, user.id, { name, engine })))
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

const remove = command({
  name: 'delete',
  summary: 'delete a project with all that it has',
  args: { project: { help: 'its id', read: id } },
  flags: { yes: { help: 'do not ask: it cannot be undone' } },
  details:
    'Write it to a file first: goldmaster admin export ACCOUNT --project ID. A run that broke off is simply started again.',
  examples: ['admin project delete 7 --yes'],
  async run({ args, flags, out, store }) {
    const { db, change } = await store()
    const { id, account_id, name } = await projectSettings.show(db, args.project)
    await confirmName(flags.yes, name)
    const progress = showProgress(process.stderr)
    const remove = () => deleteProject(db, { account_id, project_id: id }, progress.update)
    const deleted = await change('project', id, remove, { detached: true })
    progress.clear()
    out.record({ id, deleted: true, rows: Object.values(deleted).reduce((sum, count) => sum + count, 0) })
  },
})

export const project: Noun<AdminCommand> = { name: 'project', summary: 'games of an account', commands: [add, list, remove] }
