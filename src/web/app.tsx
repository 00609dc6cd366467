import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router'
import { notFound } from '../contract/errors.ts'
import { ApiError, ask } from './api.ts'
import { connection } from './connection.ts'
import { UNREAD } from './features/inbox/unread-count.tsx'
import { ConfirmIdentity } from './features/sign-in/confirm-identity.tsx'
import { SessionOver } from './features/sign-in/session-over.tsx'
import { prefetch, queryClient } from './queries.ts'
import { Layout } from './shell/layout.tsx'
import { PageError } from './ui/page-error.tsx'

/** Every page of the app and its path. A page is a module with a default export, loaded on the first visit. */
type Load = () => Promise<{ default: () => React.ReactNode }>

/** A page that cannot be loaded while the server is unreachable is loaded when it is back. A missing one means a newer build: reload. */
const patient = (load: Load): Load => {
  const attempt: Load = () =>
    load().catch(async (error) => {
      await ask('welcome', {}).catch(() => {})
      if (!connection.isAway()) throw error
      await connection.back()
      return attempt()
    })
  return attempt
}

const root = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <ConfirmIdentity />
      <SessionOver />
    </>
  ),
  // Outside the layout, which has the landmark.
  errorComponent: (props) => (
    <main>
      <PageError {...props} />
    </main>
  ),
  notFoundComponent: () => (
    <main>
      <PageError error={notFound('Page')} />
    </main>
  ),
})

const outside = <P extends string>(path: P, load: Load) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(patient(load)) })

const prefetchShell = () => {
  prefetch('listPeople', {})
  prefetch('listNotifications', UNREAD)
}

/** Not signed in: go to the sign-in page, and back here afterwards. */
const beforeLoad = async ({ location }: { location: { href: string } }) => {
  const me = { queryKey: ['showMe', {}], queryFn: () => ask('showMe', {}), retry: false }
  let needsFactor = false
  // In the same request as the user: every page shows them.
  if (!queryClient.getQueryData(me.queryKey)) prefetchShell()
  try {
    const { accounts } = await queryClient.ensureQueryData(me)
    needsFactor = accounts.length > 0 && accounts.every(({ blocked }) => blocked === 'second_factor')
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    const { first_run } = await ask('welcome', {})
    throw redirect(first_run ? { to: '/welcome' } : { to: '/sign-in', search: { to: location.href } })
  }
  // They can see nothing else until they have one.
  if (needsFactor && !location.href.startsWith('/settings')) throw redirect({ to: '/settings/sign-in' })
}

const inside = createRoute({ getParentRoute: () => root, id: 'inside', component: Layout, beforeLoad })
/** For a signed-in user with a single question to answer: no navigation. */
const alone = createRoute({ getParentRoute: () => root, id: 'alone', beforeLoad })

const page = <P extends string>(path: P, load: Load) =>
  createRoute({ getParentRoute: () => inside, path, component: lazyRouteComponent(patient(load)) })

const routeTree = root.addChildren([
  outside('/sign-in', () => import('./features/sign-in/sign-in-page.tsx')),
  outside('/sign-up', () => import('./features/sign-in/sign-up-page.tsx')),
  outside('/welcome', () => import('./features/welcome/welcome-page.tsx')),
  outside('/verify', () => import('./features/sign-in/verify-page.tsx')),
  outside('/reset', () => import('./features/sign-in/reset-page.tsx')),
  outside('/unsubscribe', () => import('./features/inbox/unsubscribe-page.tsx')),
  outside('/oauth/refused', () => import('./features/sign-in/login-refused-page.tsx')),
  outside('/invitations/$token', () => import('./features/sign-in/invitation-page.tsx')),
  alone.addChildren([
    createRoute({
      getParentRoute: () => alone,
      path: '/cli/auth',
      component: lazyRouteComponent(patient(() => import('./features/sign-in/cli-auth-page.tsx'))),
    }),
  ]),
  inside.addChildren([
    createRoute({
      getParentRoute: () => inside,
      path: '/',
      beforeLoad: () => {
        throw redirect({ to: '/feed' })
      },
    }),
    page('/feed', () => import('./features/feed/feed-page.tsx')),
    page('/inbox', () => import('./features/inbox/inbox-page.tsx')),
    page('/projects/new', () => import('./features/projects/project-new-page.tsx')),
    page('/projects/$projectId', () => import('./features/projects/project-page.tsx')),
    page('/projects/$projectId/tasks', () => import('./features/tasks/tasks-page.tsx')),
    page('/projects/$projectId/tasks/$taskId', () => import('./features/tasks/task-page.tsx')),
    page('/projects/$projectId/changes', () => import('./features/changes/changes-page.tsx')),
    page('/projects/$projectId/changes/$changeId', () => import('./features/changes/change-page.tsx')),
    page('/projects/$projectId/builds', () => import('./features/builds/builds-page.tsx')),
    page('/projects/$projectId/builds/$buildId', () => import('./features/builds/build-page.tsx')),
    page('/projects/$projectId/breakages', () => import('./features/breakages/breakages-page.tsx')),
    page('/projects/$projectId/breakages/$breakageId', () => import('./features/breakages/breakage-page.tsx')),
    page('/projects/$projectId/agents', () => import('./features/agents/agents-page.tsx')),
    page('/projects/$projectId/measures', () => import('./features/measures/measures-page.tsx')),
    page('/projects/$projectId/measures/costs', () => import('./features/measures/costs-page.tsx')),
    page('/projects/$projectId/measures/trend', () => import('./features/measures/measure-page.tsx')),
    page('/projects/$projectId/tests', () => import('./features/tests/tests-page.tsx')),
    page('/projects/$projectId/tests/$testId', () => import('./features/tests/test-page.tsx')),
    page('/projects/$projectId/branches', () => import('./features/branches/branches-page.tsx')),
    page('/projects/$projectId/assets', () => import('./features/assets/assets-page.tsx')),
    page('/projects/$projectId/assets/$assetId', () => import('./features/assets/asset-page.tsx')),
    page('/projects/$projectId/approvals', () => import('./features/assets/approvals-page.tsx')),
    page('/projects/$projectId/deployments', () => import('./features/deployments/deployments-page.tsx')),
    page('/projects/$projectId/deployments/$deploymentId', () => import('./features/deployments/deployment-page.tsx')),
    page('/projects/$projectId/members', () => import('./features/projects/members-page.tsx')),
    page('/projects/$projectId/settings', () => import('./features/projects/project-settings-page.tsx')),
    page('/projects/$projectId/unreal-game-sync', () => import('./features/unreal-game-sync/unreal-game-sync-page.tsx')),
    page('/projects/$projectId/integrations', () => import('./features/integrations/integrations-page.tsx')),
    page('/projects/$projectId/integrations/$integrationId', () => import('./features/integrations/integration-page.tsx')),
    page('/settings', () => import('./features/settings/settings-page.tsx')),
    page('/settings/profile', () => import('./features/settings/settings-profile-page.tsx')),
    page('/settings/sign-in', () => import('./features/settings/settings-sign-in-page.tsx')),
    page('/settings/sessions', () => import('./features/settings/settings-sessions-page.tsx')),
    page('/settings/connected-accounts', () => import('./features/settings/settings-connected-accounts-page.tsx')),
    page('/settings/notifications', () => import('./features/inbox/notification-settings-page.tsx')),
    page('/settings/tokens', () => import('./features/settings/settings-tokens-page.tsx')),
    page('/settings/account', () => import('./features/settings/settings-account-page.tsx')),
    page('/settings/members', () => import('./features/people/people-page.tsx')),
    page('/settings/single-sign-on', () => import('./features/single-sign-on/single-sign-on-page.tsx')),
    page('/settings/usage', () => import('./features/settings/settings-usage-page.tsx')),
    page('/settings/billing', () => import('./features/settings/settings-billing-page.tsx')),
    page('/settings/channels', () => import('./features/channels/channels-page.tsx')),
    page('/settings/webhooks', () => import('./features/webhooks/webhooks-page.tsx')),
    page('/settings/audit', () => import('./features/settings/settings-audit-page.tsx')),
    page('/settings/service', () => import('./features/operator/service-status-page.tsx')),
    page('/settings/mails', () => import('./features/settings/settings-mails-page.tsx')),
  ]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  // Values in the URL stay text: a state that looks like a number must be returned unchanged.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const said = Object.entries(search).filter(([, value]) => value !== undefined)
    const text = String(new URLSearchParams(said.map(([name, value]) => [name, String(value)])))
    return text && `?${text}`
  },
  defaultErrorComponent: PageError,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
