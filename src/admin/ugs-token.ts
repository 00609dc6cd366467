import * as tokens from '../domain/ugs/tokens.ts'
import type { Noun } from '../terminal/command.ts'
import { field, main } from '../terminal/table.ts'
import { id, words } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'

const add = command({
  name: 'add',
  summary: 'Create an Unreal Game Sync token; prints it once',
  flags: {
    project: { help: 'Project id', value: 'project', read: id, required: true },
    name: { help: 'Name, such as the people who use it', value: 'name', read: words, required: true },
  },
  examples: ["admin ugs-token add --project 1 --name 'Cinder Coast team'"],
  async run({ flags: { project, name }, out, store }) {
    const { change, site } = await store()
    const { id, project_id, token } = await change('ugs_token', undefined, (db) => tokens.create(db, project, name))
    out.record({ id, project_id, name, token, api_url: `${site}/ugs/${token}` })
  },
})

const list = command({
  name: 'list',
  summary: 'List Unreal Game Sync tokens, newest first',
  flags: { project: { help: 'Filter by project id', value: 'project', read: id } },
  examples: ['admin ugs-token list --project 1'],
  async run({ flags, out, store }) {
    const found = await tokens.list((await store()).db, flags.project)
    out.answer(found, () =>
      out.list(
        'tokens',
        found,
        ['id', field('project_id', 'project'), main('name'), 'prefix', 'revoked_at', 'created_at'],
        'Create one with goldmaster admin ugs-token add.',
      ),
    )
  },
})

const revoke = command({
  name: 'revoke',
  summary: 'Revoke an Unreal Game Sync token immediately',
  args: { token: { help: 'Token id', read: id } },
  examples: ['admin ugs-token revoke 3'],
  async run({ args, out, store }) {
    const { change } = await store()
    await change('ugs_token', args.token, (db) => tokens.revoke(db, args.token))
    out.record({ id: args.token, revoked: true })
  },
})

export const ugsToken: Noun<AdminCommand> = {
  name: 'ugs-token',
  summary: 'Create, list and revoke Unreal Game Sync tokens',
  commands: [add, list, revoke],
}
