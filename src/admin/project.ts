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
  summary: 'Create a project in an account',
  flags: {
    account: { help: 'Account id', value: 'account', read: accountId, required: true },
    name: { help: 'Name', value: 'name', read: words, required: true },
    engine: { help: 'Game engine, such as unreal, unity or godot (default: none)', value: 'engine', read: words },
    owner: { help: 'Owner: user id or email address of a member of the account', value: 'user', required: true },
  },
  examples: ['admin project add --account 1 --name "Cinder Coast" --engine unreal --owner lead@example.com'],
  async run({ flags: { account, name, engine = '', owner }, out, store }) {
    const { db, change } = await store()
    const { id } = await accounts.find(db, account)
    const user = await users.find(db, owner)
    if (!user.account_ids.includes(id))
      throw usage(
        `${owner} is not a member of account ${id}. To see its members, run: goldmaster admin user list --account ${id}`,
      )
    out.record(await change('project', undefined, (db) => projectSettings.create(db, id, user.id, { name, engine })))
  },
})

const list = command({
  name: 'list',
  summary: 'List all projects, or those of an account',
  flags: { account: { help: 'Filter by account id', value: 'account', read: accountId } },
  examples: ['admin project list --account 1'],
  async run({ flags, out, store }) {
    const found = await projectSettings.list((await store()).db, flags.account)
    out.answer(found, () =>
      out.list(
        'projects',
        found,
        ['id', main('name'), 'engine', 'status', 'account_id'],
        'Create one with goldmaster admin project add.',
      ),
    )
  },
})

const remove = command({
  name: 'delete',
  summary: 'Delete a project and all its data',
  args: { project: { help: 'Project id', read: id } },
  flags: { yes: { help: 'Do not ask for confirmation' } },
  details:
    'This cannot be undone. To keep a copy, run first: goldmaster admin export ACCOUNT --project ID. If it is interrupted, run it again.',
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

export const project: Noun<AdminCommand> = {
  name: 'project',
  summary: 'Create, list and delete projects',
  commands: [add, list, remove],
}
