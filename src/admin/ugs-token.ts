import * as tokens from '../domain/ugs/tokens.ts'
import type { Noun } from '../terminal/command.ts'
import { field, main } from '../terminal/table.ts'
import { id, words } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'

const add = command({
  name: 'add',
  summary: 'make a token for Unreal Game Sync; it and the address for ApiUrl are printed this once',
  flags: {
    project: { help: 'the project it opens: its id', value: 'project', read: id, required: true },
    name: { help: 'who has it', value: 'name', read: words, required: true },
  },
  examples: ["admin ugs-token add --project 1 --name 'everybody on Starfall'"],
  async run({ flags: { project, name }, out, store }) {
    const { change, site } = await store()
    const { id, project_id, token } = await change('ugs_token', undefined, (db) => tokens.create(db, project, name))
    out.record({ id, project_id, name, token, api_url: `${site}/ugs/${token}` })
  },
})

const list = command({
  name: 'list',
  summary: 'all tokens for Unreal Game Sync, or those of a project, newest first',
  flags: { project: { help: 'its id', value: 'project', read: id } },
  examples: ['admin ugs-token list --project 1'],
  async run({ flags, out, store }) {
    const found = await tokens.list((await store()).db, flags.project)
    out.answer(found, () =>
      out.list('tokens', found, ['id', field('project_id', 'project'), main('name'), 'prefix', 'revoked_at', 'created_at']),
    )
  },
})

const revoke = command({
  name: 'revoke',
  summary: 'make a token useless at once',
  args: { token: { help: 'its id', read: id } },
  examples: ['admin ugs-token revoke 3'],
  async run({ args, out, store }) {
    const { change } = await store()
    await change('ugs_token', args.token, (db) => tokens.revoke(db, args.token))
    out.record({ id: args.token, revoked: true })
  },
})

export const ugsToken: Noun<AdminCommand> = {
  name: 'ugs-token',
  summary: 'what clients of Unreal Game Sync ask with',
  commands: [add, list, revoke],
}
