/// <reference path="./oidc-provider.d.ts" />
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import Provider from 'oidc-provider'
import { freePort } from './free-port.ts'

interface Person {
  email?: string
  /** Some providers send it as a string. */
  email_verified?: boolean | 'false'
  name?: string
  groups?: string[]
}

/** A real OpenID provider with a form that trusts any input: `people` by their subject may change while it runs. */
export interface OpenIdProvider {
  issuer: string
  people: Record<string, Person>
  client: { client_id: string; client_secret: string }
  /** Requests by path. */
  asked: string[]
  /** Unreachable until it is back. */
  leave(): Promise<void>
  comeBack(): Promise<void>
  close(): Promise<void>
}

export async function openIdProvider(site: string, people: Record<string, Person>): Promise<OpenIdProvider> {
  const port = await freePort()
  // Another host name than the service's: to the browser it is another site.
  const issuer = `http://127.0.0.1:${port}`
  const client = { client_id: 'goldmaster', client_secret: 'the secret of the client' }
  const scope = 'openid email profile'
  const provider = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [`${site}/app/sso/callback`], post_logout_redirect_uris: [`${site}/sign-in`] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    cookies: { keys: ['a key of tests'] },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        logoutSource: (ctx: { body: string }, form: string) => {
          ctx.body = `<html lang="en"><title>Provider</title>${form}<button form="op.logoutForm" name="logout" value="yes">Sign out of the provider</button></html>`
        },
      },
    },
    // The studio's own service needs no consent.
    async loadExistingGrant(ctx: { oidc: { client: { clientId: string }; session: { accountId: string } } }) {
      const { client, session } = ctx.oidc
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope(scope)
      await grant.save()
      return grant
    },
  })
  const answer = provider.callback()
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    asked.push(request.url!.split('?', 1)[0]!)
    if (!request.url!.startsWith('/interaction/')) return answer(request, response)
    if (request.method === 'GET') {
      const page =
        '<html lang="en"><title>Provider</title><form method="post"><label>Who <input name="who"></label><button>Let me in</button></form>'
      return response.setHeader('content-type', 'text/html').end(page)
    }
    const who = new URLSearchParams(await text(request)).get('who')!
    const result = who === '' ? { error: 'access_denied' } : { login: { accountId: who } }
    await provider.interactionFinished(request, response, result)
  })
  const comeBack = () => new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  const leave = () =>
    new Promise<void>((done) => {
      server.close(() => done())
      server.closeAllConnections()
    })
  await comeBack()
  return { issuer, people, client, asked, leave, comeBack, close: leave }
}
