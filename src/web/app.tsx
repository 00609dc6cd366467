import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router'
import { ApiError, ask } from './api.ts'
import { connection } from './connection.ts'
import { Broken } from './parts/broken.tsx'
import { Layout } from './parts/layout.tsx'
import { SessionOver } from './parts/session-over.tsx'
import { queryClient } from './queries.ts'

/** Every page of the app and its address. A page is a module with a default export, loaded when it is first visited. */
type Load = () => Promise<{ default: () => React.ReactNode }>

/** A page that cannot be fetched while the server is away is fetched when it is back. One that is gone is a newer build: reload. */
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
      <SessionOver />
    </>
  ),
  errorComponent: Broken,
  notFoundComponent: () => <Broken error={new ApiError(404, 'not_found', 'Page not found.')} />,
})

const outside = <P extends string>(path: P, load: Load) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(patient(load)) })

/** Nobody signed in: to the door, and back here afterwards. */
const beforeLoad = async ({ location }: { location: { href: string } }) => {
  const me = { queryKey: ['showMe', {}], queryFn: () => ask('showMe', {}), retry: false }
  try {
    await queryClient.ensureQueryData(me)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    const { first_run } = await ask('welcome', {})
    throw redirect(first_run ? { to: '/welcome' } : { to: '/sign-in', search: { to: location.href } })
  }
}

const inside = createRoute({ getParentRoute: () => root, id: 'inside', component: Layout, beforeLoad })
/** For somebody signed in who came for one question only: no way leads elsewhere. */
const alone = createRoute({ getParentRoute: () => root, id: 'alone', beforeLoad })

const page = <P extends string>(path: P, load: Load) =>
  createRoute({ getParentRoute: () => inside, path, component: lazyRouteComponent(patient(load)) })

const routeTree = root.addChildren([
  outside('/sign-in', () => import('./pages/sign-in.tsx')),
  outside('/sign-up', () => import('./pages/sign-up.tsx')),
  outside('/welcome', () => import('./pages/welcome.tsx')),
  outside('/verify', () => import('./pages/verify.tsx')),
  outside('/reset', () => import('./pages/reset.tsx')),
  outside('/oauth/refused', () => import('./pages/login-refused.tsx')),
  outside('/invitations/$token', () => import('./pages/invitation.tsx')),
  alone.addChildren([
    createRoute({
      getParentRoute: () => alone,
      path: '/cli/auth',
      component: lazyRouteComponent(patient(() => import('./pages/cli-auth.tsx'))),
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
    page('/feed', () => import('./pages/feed.tsx')),
    page('/projects/new', () => import('./pages/project-new.tsx')),
    page('/projects/$projectId', () => import('./pages/project.tsx')),
    page('/projects/$projectId/tasks', () => import('./pages/tasks.tsx')),
    page('/projects/$projectId/tasks/$taskId', () => import('./pages/task.tsx')),
    page('/projects/$projectId/changes', () => import('./pages/changes.tsx')),
    page('/projects/$projectId/changes/$changeId', () => import('./pages/change.tsx')),
    page('/projects/$projectId/builds', () => import('./pages/builds.tsx')),
    page('/projects/$projectId/builds/$buildId', () => import('./pages/build.tsx')),
    page('/projects/$projectId/assets', () => import('./pages/assets.tsx')),
    page('/projects/$projectId/assets/$assetId', () => import('./pages/asset.tsx')),
    page('/projects/$projectId/approvals', () => import('./pages/approvals.tsx')),
    page('/projects/$projectId/deployments', () => import('./pages/deployments.tsx')),
    page('/projects/$projectId/deployments/$deploymentId', () => import('./pages/deployment.tsx')),
    page('/projects/$projectId/members', () => import('./pages/members.tsx')),
    page('/projects/$projectId/settings', () => import('./pages/project-settings.tsx')),
    page('/projects/$projectId/integrations', () => import('./pages/integrations.tsx')),
    page('/projects/$projectId/integrations/$integrationId', () => import('./pages/integration.tsx')),
    page('/settings/profile', () => import('./pages/settings-profile.tsx')),
    page('/settings/sessions', () => import('./pages/settings-sessions.tsx')),
    page('/settings/connected-accounts', () => import('./pages/settings-connected-accounts.tsx')),
    page('/settings/tokens', () => import('./pages/settings-tokens.tsx')),
    page('/settings/account', () => import('./pages/settings-account.tsx')),
    page('/settings/members', () => import('./pages/settings-members.tsx')),
    page('/settings/billing', () => import('./pages/settings-billing.tsx')),
    page('/settings/webhooks', () => import('./pages/settings-webhooks.tsx')),
    page('/settings/mails', () => import('./pages/settings-mails.tsx')),
  ]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  // What stands in an address stays text: a state that looks like a number must go back as it came.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const said = Object.entries(search).filter(([, value]) => value !== undefined)
    const text = String(new URLSearchParams(said.map(([name, value]) => [name, String(value)])))
    return text && `?${text}`
  },
  defaultErrorComponent: Broken,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
