import type { Delivery, Dialect, Provider } from '../../provider.ts'
import { at, object, Unreadable } from '../../reading.ts'
import { isAuthentic, senderSignature } from '../../signatures.ts'
import { builtinEvent, isBuiltin, readBuiltin } from './builtin.ts'
import { followUp } from './follow-up.ts'
import { history } from './history.ts'
import { places } from './places.ts'
import { isPlugin, pluginEvent, readPlugin } from './plugin.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'

/** TeamCity's own webhooks, and those of the plugin tcWebHooks. */
export const teamcity: Provider = {
  name: 'teamcity',
  label: 'TeamCity',
  reports: 'Builds of a project and its subprojects',
  category: 'builds',
  paths: ['teamcity'],
  // Its own webhooks can only send a password.
  tokenHeader: 'x-webhook-token',
  answers: 200,
  verify: (delivery, secrets, required) => isAuthentic(secrets, required, senderSignature(delivery, secrets)),
  event: (delivery) => dialect(delivery).event(delivery),
  read(delivery) {
    if (object(delivery.body) === undefined) throw new Unreadable('The body must be a JSON object.')
    return dialect(delivery).read(delivery)
  },
  server,
  places,
  followUp,
  history,
  setup,
  sample,
}

const BUILTIN: Dialect = { event: ({ body }) => builtinEvent(body), read: ({ body }) => readBuiltin(body) }
const PLUGIN: Dialect = { event: ({ body }) => pluginEvent(body), read: ({ body }) => readPlugin(at(body, 'build')) }
/** The plugin's format is a template that people can edit, for example for a chat. */
const OTHER: Dialect = { event: () => 'unknown', read: () => [] }

const dialect = ({ body }: Delivery): Dialect => (isBuiltin(body) ? BUILTIN : isPlugin(body) ? PLUGIN : OTHER)
