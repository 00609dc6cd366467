import { isLoopback } from '../contract/loopback.ts'
import { PROVIDERS } from '../contract/sets.ts'
import { type Database, sql } from '../db/database.ts'
import * as imports from '../domain/integrations/imports.ts'
import * as integrations from '../domain/integrations/integrations.ts'
import { setConfig } from '../domain/integrations/settings.ts'
import { setWriteBack, startWriteBack } from '../domain/integrations/write-backs.ts'
import { startUnseen } from '../intake/history/start-import.ts'
import { providers } from '../intake/providers/index.ts'
import { setPlaces, shownPlaces } from '../intake/reach/places.ts'
import { readSecret } from '../terminal/ask.ts'
import type { Noun } from '../terminal/command.ts'
import { usage } from '../terminal/failures.ts'
import { fileText } from '../terminal/given-text.ts'
import { field, main } from '../terminal/table.ts'
import { count, id, importDays, jsonObject, words } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'
import { secretOf } from './secret-input.ts'

const args = { integration: { help: 'Integration id', read: id } }

const add = command({
  name: 'add',
  summary: 'Connect a tool; prints its webhook URL and setup steps',
  flags: {
    project: { help: 'Project id', value: 'project', read: id, required: true },
    provider: { help: 'Tool to connect', value: 'provider', values: PROVIDERS, required: true },
    secret: { help: 'Signing secret of the tool; - reads standard input', value: 'secret', read: words },
    allow_unsigned: { help: 'Accept unsigned deliveries even with a secret, on paths that allow it' },
    config: { help: 'Settings of the tool, a JSON object', value: 'json', read: jsonObject },
    confirmed_only: { help: 'Use the credential in the settings only for jobs or projects that a lead confirms' },
  },
  examples: ['admin integration add --project 1 --provider github --secret -'],
  async run({ flags: { project: project_id, provider, secret, allow_unsigned, config, confirmed_only }, out, store }) {
    const { change, vault, site } = await store()
    const signing_secrets = secret === undefined ? [] : [await secretOf(secret, 'Signing secret')]
    const requires_signature = signing_secrets.length > 0 && !allow_unsigned
    const asked = { project_id, provider, signing_secrets, requires_signature, config, every_place: !confirmed_only }
    const made = await change('integration', undefined, (db) => integrations.create(db, vault, asked))
    const url = `${site}/webhooks/${provider}?token=${made.webhook_token}`
    const setup = providers[provider].setup({ url, token: made.webhook_token, base_url: site, id: made.id })
    out.answer({ ...made, url, setup }, () => {
      out.facts({ ...made, url })
      out.prose(setup)
      const here = `${site}/projects/${project_id}/integrations/${made.id}`
      out.line(
        `In these steps “here” means ${here}. To save a signing secret, you can also run: goldmaster admin integration secret ${made.id}`,
      )
      if (made.every_place && providers[provider].places && made.config.server)
        out.line(
          `Its credential is used for all ${providers[provider].places.noun} of the server. To limit it, run: goldmaster admin integration places ${made.id} --confirmed-only`,
        )
      if (isLoopback(site))
        out.line(
          `BASE_URL is ${site}, which only tools on this machine can reach. Set it to the public URL; see docs/deployment.md`,
        )
    })
  },
})

const list = command({
  name: 'list',
  summary: 'List all integrations, or those of a project',
  flags: { project: { help: 'Filter by project id', value: 'project', read: id } },
  examples: ['admin integration list --project 1'],
  async run({ flags, out, store }) {
    const found = await integrations.list((await store()).db, flags.project)
    out.answer(found, () =>
      out.list(
        'integrations',
        found,
        ['id', field('project_id', 'project'), main('provider'), 'active', 'secrets', 'requires_signature'],
        'Connect a tool with goldmaster admin integration add.',
      ),
    )
  },
})

const setActive = (name: string, active: boolean, summary: string) =>
  command({
    name,
    summary,
    args,
    examples: [`admin integration ${name} 2`],
    async run({ args, out, store }) {
      const { change } = await store()
      out.record(await change('integration', args.integration, (db) => integrations.setActive(db, args.integration, active)))
    },
  })

const remove = command({
  name: 'delete',
  summary: 'Disconnect a tool; its changes and builds stay',
  details:
    'Deletes the integration, its webhook token and its delivery log. Changes, builds and deployments that it reported stay.',
  args,
  examples: ['admin integration delete 2'],
  async run({ args, out, store }) {
    const { change } = await store()
    await change('integration', args.integration, (db) => integrations.remove(db, args.integration))
    out.record({ id: args.integration, deleted: true })
  },
})

const secret = command({
  name: 'secret',
  summary: 'Replace the signing secrets of a tool',
  args: {
    ...args,
    secrets: { help: 'Signing secrets, all valid at once (default: read from standard input)', optional: true, many: true },
  },
  flags: { clear: { help: 'Remove all; unsigned deliveries are then accepted, unless signatures are required' } },
  examples: ['admin integration secret 2 < secret.txt', 'admin integration secret 2 --clear'],
  async run({ args: { integration, secrets }, flags, out, store }) {
    if (flags.clear && secrets.length > 0) throw usage('Pass either secrets or --clear, not both')
    const { db, change, vault } = await store()
    await integrations.find(db, integration)
    const chosen = flags.clear || secrets.length > 0 ? secrets : [await secretOf('-', 'Signing secret')]
    const signing = { secrets: chosen, ...(flags.clear && { requires_signature: false }) }
    out.record(await change('integration', integration, (db) => integrations.setSigning(db, vault, integration, signing)))
  },
})

const requireSignature = command({
  name: 'require-signature',
  summary: 'Accept only signed deliveries from a tool',
  args,
  flags: { off: { help: 'Accept the webhook token without a signature again, where that is allowed' } },
  details:
    'First set GOLDMASTER_WEBHOOK_SECRET where you use goldmaster run, builds report, bridge or the setup scripts: they sign with it.',
  examples: ['admin integration require-signature 2', 'admin integration require-signature 2 --off'],
  async run({ args: { integration }, flags, out, store }) {
    const { change, vault } = await store()
    const signing = { requires_signature: !flags.off }
    out.record(await change('integration', integration, (db) => integrations.setSigning(db, vault, integration, signing)))
  },
})

const handshake = command({
  name: 'handshake',
  summary: 'Let a tool send its signing secret within the next hour',
  details: 'The newest two secrets are kept.',
  args,
  examples: ['admin integration handshake 2'],
  async run({ args, out, store }) {
    const { change } = await store()
    out.record(await change('integration', args.integration, (db) => integrations.askHandshake(db, args.integration)))
  },
})

/** Typed settings are not echoed, because they include passwords; from a file they may have many lines. */
const givenSettings = () => (process.stdin.isTTY ? readSecret('Settings, on one line') : fileText('-'))

const settingsIn = (text: string) => {
  try {
    return jsonObject(text)
  } catch {
    throw usage('The settings must be a JSON object, such as {"server": "https://jenkins.example.com"}')
  }
}

const config = command({
  name: 'config',
  summary: 'Replace the settings of a tool, such as its server URL',
  args: { ...args, json: { help: 'Settings, a JSON object; - reads standard input' } },
  details:
    'For Jenkins: {"server": "https://jenkins.example.com", "user": "gold", "api_token": "…"}. Passwords are stored encrypted.',
  examples: ['admin integration config 2 - < jenkins.json'],
  async run({ args: { integration, json }, out, store }) {
    const { db, change, vault } = await store()
    const settings = settingsIn(json === '-' ? await givenSettings() : json)
    await change('integration', integration, (db) => setConfig(db, vault, integration, settings))
    out.record(await integrations.find(db, integration))
  },
})

const places = command({
  name: 'places',
  summary: 'Show or change what the credential of a tool may be used for',
  details:
    'A server has jobs, projects or streams of others too, and anybody with the webhook token can name them. The saved credential is used for those of the settings and for those that you confirm, or with --every for all.',
  args,
  flags: {
    confirm: {
      help: 'Allow this job, project or stream; Game/* allows everything below it. Repeat it for several',
      value: 'name',
      read: words,
      many: true,
    },
    remove: { help: 'Remove it from the list. Repeat it for several', value: 'name', read: words, many: true },
    every: { help: 'Allow all of the server' },
    confirmed_only: { help: 'Allow only those of the settings and confirmed ones' },
  },
  examples: ['admin integration places 2', "admin integration places 2 --confirmed-only --confirm 'Starfall/*'"],
  async run({ args: { integration: id }, flags: { confirm, remove, every, confirmed_only }, out, store }) {
    if (every && confirmed_only) throw usage('Pass either --every or --confirmed-only, not both')
    const { db, change } = await store()
    const found = await integrations.find(db, id)
    const key = { account_id: (await ownerOf(db, id)).account_id, id }
    const every_place = every ? true : confirmed_only ? false : undefined
    if (every_place !== undefined || confirm?.length || remove?.length)
      await change('integration', id, (db) => setPlaces(db, key, { every_place, confirm, remove }))
    const shown = await shownPlaces(db, key, found)
    if (shown === null) throw usage(`The settings of ${found.provider} name the only place that is asked for`)
    const { every_place: all } = await integrations.find(db, id)
    out.record({
      id,
      every_place: all,
      named: shown.named,
      confirmed: shown.confirmed,
      waiting: shown.waiting.map(({ place }) => place),
    })
  },
})

const writeBack = command({
  name: 'write-back',
  summary: 'Write results of builds to the server of a tool, or stop it',
  details:
    'Sets commit statuses and keeps one comment on each pull request (GitHub, GitLab), votes and comments on reviews (Perforce), or comments on issues when a breakage is fixed (Jira, Linear). The service first checks the permissions of the access token: if one is missing, admin integration list --json shows which, and nothing is written.',
  args,
  flags: { off: { help: 'Stop it' } },
  examples: ['admin integration write-back 2', 'admin integration write-back 2 --off'],
  async run({ args: { integration: id }, flags, out, store }) {
    const { db, change } = await store()
    const { provider } = await integrations.find(db, id)
    if (!flags.off && !providers[provider].server?.writeBackNeeds) throw usage(`Results can't be written to ${provider}`)
    const { account_id } = await ownerOf(db, id)
    await change('integration', id, (db) => (flags.off ? setWriteBack(db, id, false) : startWriteBack(db, { account_id, id })))
    out.record(await integrations.find(db, id))
  },
})

/** The account and project of an integration. */
const ownerOf = async (db: Database, id: number) =>
  (await db.one<{ account_id: number; project_id: number }>(
    sql`select account_id, project_id from integrations where id = ${id}`,
  )) ?? {
    account_id: 0,
    project_id: 0,
  }

const startImport = command({
  name: 'import',
  summary: 'Import the past of a tool; sends no notifications',
  details:
    'Reads changes, builds, issues and deployments, if the tool has them. Needs the server and an access token of the tool: see goldmaster admin integration config.',
  args,
  flags: { days: { help: 'Days to look back (default: 90)', value: 'days', read: importDays } },
  examples: ['admin integration import 2', 'admin integration import 2 --days 30'],
  async run({ args: { integration: id }, flags, out, store }) {
    const { db, change } = await store()
    await integrations.find(db, id)
    const { account_id } = await ownerOf(db, id)
    const started = await change('integration', id, (db) => startUnseen(db, { account_id, id }, flags.days ?? 90))
    out.record(shownImport(started))
    out.note(`To see its progress, run: goldmaster admin integration imports ${id}`)
  },
})

/** Records that were read, all parts together, and those that were new. */
const shownImport = ({ id, state, part, counts, message, created_at, finished_at }: imports.Import) => {
  const all = Object.values(counts)
  const sum = (of: 'read' | 'added') => all.reduce((total, one) => total + one[of], 0)
  return { id, state, part, read: sum('read'), added: sum('added'), created_at, finished_at, message }
}

const listImports = command({
  name: 'imports',
  summary: 'List the imports of a tool, newest first',
  args,
  examples: ['admin integration imports 2'],
  async run({ args: { integration: id }, out, store }) {
    const { db } = await store()
    await integrations.find(db, id)
    const found = await imports.list(db, { ...(await ownerOf(db, id)), id })
    out.answer(found, () =>
      out.list(
        'imports',
        found.map(shownImport),
        ['id', 'state', 'part', 'read', 'added', 'created_at', main('message')],
        'Start one with goldmaster admin integration import.',
      ),
    )
  },
})

const endImport = (name: string, summary: string, details: string, end: typeof imports.cancel) =>
  command({
    name,
    summary,
    details,
    args: { ...args, import: { help: 'Import id', read: count } },
    examples: [`admin integration ${name} 2 14`],
    async run({ args: { integration: id, import: importId }, out, store }) {
      const { db, change } = await store()
      await integrations.find(db, id)
      const owner = await ownerOf(db, id)
      out.record(shownImport(await change('integration', id, (db) => end(db, owner, importId))))
    },
  })

export const integration: Noun<AdminCommand> = {
  name: 'integration',
  summary: 'Connect, list, configure and disconnect tools',
  commands: [
    add,
    list,
    setActive('deactivate', false, 'Refuse the deliveries of a tool'),
    setActive('activate', true, 'Accept the deliveries of a tool again'),
    remove,
    secret,
    requireSignature,
    handshake,
    config,
    places,
    writeBack,
    startImport,
    listImports,
    endImport('cancel-import', 'Cancel a running import', 'What it has read stays.', imports.cancel),
    endImport(
      'undo-import',
      'Delete what only an import reported',
      'What the tool itself reported as well stays. A worker deletes the rest within minutes.',
      imports.undo,
    ),
  ],
}
