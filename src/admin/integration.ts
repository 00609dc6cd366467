import { type Command, InvalidArgumentError, Option } from 'commander'
import { PROVIDERS, type ProviderName } from '../contract/sets.ts'
import * as integrations from '../domain/integrations/integrations.ts'
import { setConfig } from '../domain/integrations/settings.ts'
import { setups } from '../intake/setup-texts.ts'
import { id, jsonObject, words } from './arguments.ts'
import { readText } from './files.ts'
import { type OutputOptions, printMany, printOne } from './output.ts'
import { readSecret } from './secret-input.ts'
import { type Open, using } from './store.ts'

interface AddFlags extends OutputOptions {
  project: number
  provider: ProviderName
  secret?: string
  config?: Record<string, unknown>
}

/** Typed, they stay hidden, passwords included; from a file they may have many lines. */
const givenSettings = () => (process.stdin.isTTY ? readSecret('Settings, on one line') : readText('-'))

const settingsIn = (text: string) => {
  try {
    return jsonObject(text)
  } catch {
    throw new InvalidArgumentError('The settings must be a JSON object, such as {"server": "https://jenkins.example.com"}')
  }
}

const given = async (secret: string) => (secret === '-' ? readSecret('Signing secret') : secret)

export function integration(admin: Command, open: Open) {
  const noun = admin.command('integration').description('which tools may tell a project something')

  noun
    .command('add')
    .description('connect a tool; prints the address it is to call, and how to set it up')
    .requiredOption('--project <project>', 'its id', id)
    .addOption(new Option('--provider <provider>', 'the tool').choices(PROVIDERS).makeOptionMandatory())
    .option('--secret <secret>', 'what the tool signs with; - reads it from standard input', words)
    .option('--config <json>', 'settings of this tool', jsonObject)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin integration add --project 1 --provider github --secret -')
    .action((flags: AddFlags) =>
      using(open, async ({ db, vault, site }) => {
        const signing_secrets = flags.secret === undefined ? [] : [await given(flags.secret)]
        const { project: project_id, provider, config } = flags
        const made = await integrations.create(db, vault, { project_id, provider, signing_secrets, config })
        const url = `${site}/webhooks/${provider}?token=${made.webhook_token}`
        const setup = setups[provider]({ url, token: made.webhook_token, base_url: site, id: made.id })
        printOne({ ...made, url, ...(flags.json && { setup }) }, flags)
        if (flags.json) return
        const here = `${site}/projects/${project_id}/integrations/${made.id}`
        process.stdout.write(
          `\n${setup}\n“Here” is ${here}. A signing secret is also saved with: goldmaster admin integration secret ${made.id}\n`,
        )
      }),
    )

  noun
    .command('list')
    .description('all integrations, or those of a project')
    .option('--project <project>', 'its id', id)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin integration list --project 1')
    .action((flags: OutputOptions & { project?: number }) =>
      using(open, async ({ db }) =>
        printMany(await integrations.list(db, flags.project), ['id', 'project_id', 'provider', 'active', 'secrets'], flags),
      ),
    )

  for (const [verb, active] of [
    ['deactivate', false],
    ['activate', true],
  ] as const)
    noun
      .command(verb)
      .description(active ? 'take in its deliveries again' : 'refuse its deliveries from now on')
      .argument('<integration>', 'its id', id)
      .option('--json', 'print JSON')
      .addHelpText('after', `\nExample:\n  goldmaster admin integration ${verb} 2`)
      .action((integrationId: number, flags: OutputOptions) =>
        using(open, async ({ db }) => printOne(await integrations.setActive(db, integrationId, active), flags)),
      )

  noun
    .command('delete')
    .description('forget a tool, its token and its delivery log; changes, builds and deployments that it told stay')
    .argument('<integration>', 'its id', id)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin integration delete 2')
    .action((integrationId: number, flags: OutputOptions) =>
      using(open, async ({ db }) => {
        await integrations.remove(db, integrationId)
        printOne({ id: integrationId, deleted: true }, flags)
      }),
    )

  noun
    .command('secret')
    .description('replace what a tool signs with; several are accepted side by side')
    .argument('<integration>', 'its id', id)
    .argument('[secrets...]', 'none given: read from standard input')
    .addOption(new Option('--clear', 'accept unsigned deliveries, where the tool allows it'))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  openssl rand -hex 32 | tee secret.txt | goldmaster admin integration secret 2')
    .action((integrationId: number, secrets: string[], flags: OutputOptions & { clear?: boolean }, command: Command) => {
      if (flags.clear && secrets.length > 0) command.error('error: --clear takes no secrets')
      return using(open, async ({ db, vault }) => {
        await integrations.find(db, integrationId)
        const chosen = flags.clear || secrets.length > 0 ? secrets : [await readSecret('Signing secret')]
        printOne(await integrations.setSecrets(db, vault, integrationId, chosen), flags)
      })
    })

  noun
    .command('handshake')
    .description('let a tool hand over its signing secret within the next hour; the newest two are kept')
    .argument('<integration>', 'its id', id)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin integration handshake 2')
    .action((integrationId: number, flags: OutputOptions) =>
      using(open, async ({ db }) => printOne(await integrations.askHandshake(db, integrationId), flags)),
    )

  noun
    .command('config')
    .description('replace the settings of a tool, such as the server to ask; passwords in them are kept encrypted')
    .argument('<integration>', 'its id', id)
    .argument('<json>', 'a JSON object; - reads it from standard input')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nExample:\n  echo '{"server":"https://jenkins.example.com","user":"gold","api_token":"…"}' | goldmaster admin integration config 2 -`,
    )
    .action((integrationId: number, text: string, flags: OutputOptions) =>
      using(open, async ({ db, vault }) => {
        const config = settingsIn(text === '-' ? await givenSettings() : text)
        await setConfig(db, vault, integrationId, config)
        printOne(await integrations.find(db, integrationId), flags)
      }),
    )
}
