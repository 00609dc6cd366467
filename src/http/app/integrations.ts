import type { integrationRoutes, Provider } from '../../contract/app/integrations.ts'
import type { AppReply } from '../../contract/app/routes.ts'
import { notFound, refusedDelivery } from '../../contract/errors.ts'
import * as accounts from '../../domain/accounts/accounts.ts'
import { refuseIfFull } from '../../domain/accounts/quotas.ts'
import { effective } from '../../domain/accounts/retention-days.ts'
import { bindsSecrets, isSecret } from '../../domain/integrations/config.ts'
import * as deliveries from '../../domain/integrations/delivery-log.ts'
import { health } from '../../domain/integrations/health.ts'
import * as imports from '../../domain/integrations/imports.ts'
import * as integrations from '../../domain/integrations/integrations.ts'
import * as settings from '../../domain/integrations/settings.ts'
import { Refused } from '../../intake/deliver.ts'
import { replay } from '../../intake/deliveries/replay.ts'
import { showDelivery } from '../../intake/deliveries/show-delivery.ts'
import { testDelivery } from '../../intake/deliveries/test-delivery.ts'
import { previewImport, startImport } from '../../intake/history/start-import.ts'
import type { Delivered } from '../../intake/persist.ts'
import type { ServerSettings } from '../../intake/provider.ts'
import { providers } from '../../intake/providers/index.ts'
import { setPlaces, shownPlaces } from '../../intake/reach/places.ts'
import { unsignedPaths } from '../../intake/unsigned-paths.ts'
import { switchWriteBack } from '../../intake/write-back/write-back.ts'
import { done, type Handlers } from '../routes/call.ts'
import { idOf, shortIdOf } from '../routes/path-ids.ts'
import type { Service } from '../service.ts'

/** The description of a provider for the web app. */
const PROVIDERS: Provider[] = Object.values(providers).map((provider) => {
  const { name, label, reports, category, signing = 'optional', server, history, places } = provider
  return {
    name,
    label,
    reports,
    category,
    signing,
    unsigned_paths: unsignedPaths(provider),
    has_history: history !== undefined,
    write_back_does: server?.writeBackDoes ?? null,
    write_back_needs: server?.writeBackNeeds ?? null,
    places: places ? { noun: places.noun, example: places.example } : null,
    server: server ? { why: server.why, fields: server.fields.map(shownField) } : null,
  }
})

function shownField({ key, label, hint = '' }: ServerSettings['fields'][number]) {
  return { key, label, hint, secret: isSecret(key), binds_secrets: bindsSecrets(key) }
}

/** Integrations and their deliveries. The id of another project's integration is not found. */
export const integrationHandlers: Handlers<keyof typeof integrationRoutes> = {
  listProviders: async () => ({ providers: PROVIDERS }),
  listIntegrations: async ({ db, project_id }) => ({ integrations: await listed(db, project_id) }),
  async createIntegration(call) {
    const { db, vault, account_id, project_id, body, quotas, caller } = call
    const { provider, signing_secret, requires_signature, config, every_place } = body
    await refuseIfFull(db, quotas, account_id, 'integrations')
    const made = await integrations.create(db, vault, {
      project_id,
      provider,
      config,
      signing_secrets: signing_secret ? [signing_secret] : [],
      requires_signature,
      every_place,
      created_by_user_id: caller.user_id,
    })
    return shown(call, project_id, made.id)
  },
  showIntegration: (call) => shown(call, call.project_id, shortIdOf(call.path.id, 'Integration')),
  async editIntegration(call) {
    const { vault, project_id, body } = call
    const { signing_secrets: secrets, requires_signature } = body
    const id = await own(call)
    await call.db.transaction(async (db) => {
      if (body.active !== undefined) await integrations.setActive(db, id, body.active)
      if (secrets !== undefined || requires_signature !== undefined)
        await integrations.setSigning(db, vault, id, { secrets, requires_signature })
      if (body.config !== undefined) await settings.setConfig(db, vault, id, body.config)
      if (body.ask_handshake) await integrations.askHandshake(db, id)
    })
    return shown(call, project_id, id)
  },
  async switchWriteBack(call) {
    const { db, vault, allowedHosts: allowed, account_id, project_id, body } = call
    const id = await own(call)
    await switchWriteBack({ db, vault, allowed }, { account_id, id }, body.write_back)
    return shown(call, project_id, id)
  },
  async setPlaces(call) {
    const { account_id, project_id, body } = call
    const id = await own(call)
    await call.db.transaction((db) => setPlaces(db, { account_id, id }, body))
    return shown(call, project_id, id)
  },
  async rotateIntegrationToken(call) {
    const id = await own(call)
    await settings.rotateToken(call.db, call.vault, id, call.caller.user_id)
    return shown(call, call.project_id, id)
  },
  async deleteIntegration(call) {
    await integrations.remove(call.db, await own(call))
    return done
  },
  testIntegration: async (call) => orRefusal(testDelivery(call.db, await own(call))),
  async previewImport(call) {
    const { db, vault, allowedHosts: allowed, account_id, query } = call
    return previewImport({ db, vault, allowed }, { account_id, id: await own(call) }, query.days_back)
  },
  listImports: async (call) => ({ imports: await imports.list(call.db, { account_id: call.account_id, id: await own(call) }) }),
  async startImport(call) {
    const { db, vault, allowedHosts: allowed, account_id, body, caller } = call
    const asked = { days: body.days, by: caller.user_id }
    return startImport({ db, vault, allowed }, { account_id, id: await own(call) }, asked)
  },
  cancelImport: ({ db, account_id, project_id, path }) => imports.cancel(db, { account_id, project_id }, idOf(path.id, 'Import')),
  undoImport: ({ db, account_id, project_id, path }) => imports.undo(db, { account_id, project_id }, idOf(path.id, 'Import')),
  listDeliveries: ({ db, project_id, query }) => deliveries.list(db, { project_id, ...query }),
  showDelivery: async ({ db, account_id, project_id, path, retention }) => ({
    ...(await showDelivery(db, idOf(path.id, 'Delivery'), { account_id, project_id })),
    body_kept_days: effective(retention, (await accounts.find(db, account_id)).retention, 'bodies'),
  }),
  async replayDelivery({ db, account_id, project_id, path }) {
    return orRefusal(replay(db, idOf(path.id, 'Delivery'), { account_id, project_id }))
  },
}

async function own({ db, project_id, path }: { db: Service['db']; project_id: number; path: { id: string } }): Promise<number> {
  const id = shortIdOf(path.id, 'Integration')
  await settings.requireIn(db, project_id, id)
  return id
}

async function listed(db: Service['db'], projectId: number): Promise<AppReply<'listIntegrations'>['integrations']> {
  const [all, states] = await Promise.all([integrations.list(db, projectId), health(db, projectId)])
  return all.map((integration) => {
    const { last_delivery_at, last_outcome, deliveries, failed, error_rate, failing_jobs } = states.find(
      ({ integration_id }) => integration_id === integration.id,
    )!
    return { ...integration, health: { last_delivery_at, last_outcome, deliveries, failed, error_rate, failing_jobs } }
  })
}

/** As people enter it. */
const TOKEN_HEADERS = { 'x-service-token': 'X-Service-Token', 'x-webhook-token': 'X-Webhook-Token', none: null } as const

async function shown(
  { db, vault, site, account_id }: Service & { account_id: number },
  projectId: number,
  id: number,
): Promise<AppReply<'showIntegration'>> {
  const found = (await listed(db, projectId)).find((integration) => integration.id === id)
  if (!found) throw notFound('Integration')
  const token = await settings.showToken(db, vault, id)
  const url = `${site}/webhooks/${found.provider}?token=${token}`
  return {
    ...found,
    webhook_token: token,
    webhook_url: url,
    token_header: TOKEN_HEADERS[providers[found.provider].tokenHeader ?? 'none'],
    setup: providers[found.provider].setup({ url, token, base_url: site, id }),
    places: await shownPlaces(db, { account_id, id }, found),
  }
}

/** An unreadable delivery is a result, not a failure of the service. */
const orRefusal = (delivered: Promise<Delivered>) =>
  delivered.catch((error: unknown) => {
    if (error instanceof Refused) throw refusedDelivery(422, error.message, error.delivery_id)
    throw error
  })
