import { Link, Outlet, useNavigate, useParams, useRouterState } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import { useLateLook } from '../features/inbox/late-look.ts'
import { UnreadCount } from '../features/inbox/unread-count.tsx'
import { TaskNew } from '../features/tasks/task-new.tsx'
import { useFocusKept } from '../focus.ts'
import { useKeys } from '../keys.ts'
import { useStream } from '../live.ts'
import { useAccount, useMe, useProject } from '../session.ts'
import { Icon } from '../ui/icon.tsx'
import { Loading } from '../ui/infinite-list.tsx'
import { NotFound } from '../ui/not-found.tsx'
import { Page } from '../ui/page.tsx'
import { Banners } from './banners.tsx'
import { KeysHelp } from './keys-help.tsx'
import { Nav } from './nav.tsx'
import { PROJECT_PAGES } from './navigation.ts'
import { Palette } from './palette.tsx'

/** The page of the URL, unless the user has no access to its project. */
function Place() {
  const { projectId } = useParams({ strict: false })
  const project = useProject()
  if (projectId === undefined || project) return <Outlet />
  return (
    <Page title="Not found">
      <NotFound />
    </Page>
  )
}

/** `g b` goes to the builds of the project, and so on. */
const goes = (project: number, go: (to: string) => void) =>
  Object.fromEntries(
    PROJECT_PAGES.flatMap(([path, , , key]) => (key ? [[`g ${key}`, () => go(`/projects/${project}${path}`)]] : [])),
  )

/** The layout of signed-in pages: sidebar, banners, palette, and the stream that keeps pages up to date. */
export function Layout() {
  useMe()
  const account = useAccount()
  const project = useProject()
  // The free plan has no feed, and so no stream.
  useStream(account?.plan === 'free' ? undefined : account?.id)
  useLateLook()
  const [searching, setSearching] = useState(false)
  const [drawer, setDrawer] = useState(false)
  const path = useRouterState({ select: (state) => state.location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes after every navigation
  useEffect(() => setDrawer(false), [path])
  const shown = useRouterState({ select: (state) => state.resolvedLocation?.pathname })
  const main = useFocusKept<HTMLElement>(shown)
  const navigate = useNavigate()
  const [creating, setCreating] = useState(false)
  const [keys, setKeys] = useState(false)
  useKeys({
    '?': () => setKeys(true),
    'g i': () => void navigate({ to: '/inbox' }),
    'g f': () => void navigate({ to: '/feed' }),
    ...(project && goes(project.id, (to) => void navigate({ to }))),
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setSearching((open) => !open)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[15rem_minmax(0,1fr)]">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2">
        Skip to content
      </a>
      <header className="sticky top-0 z-30 flex items-center gap-2 border-b border-line bg-panel px-3 py-2 md:hidden">
        <button
          type="button"
          aria-label="Menu"
          aria-expanded={drawer}
          onClick={() => setDrawer(!drawer)}
          className="rounded p-1.5 hover:bg-hover"
        >
          <Icon name={drawer ? 'close' : 'menu'} />
        </button>
        <span className="min-w-0 flex-1 truncate font-semibold" title={project?.name}>
          {project?.name ?? 'Goldmaster'}
        </span>
        <Link to="/inbox" className="flex items-center gap-1 rounded p-1.5 hover:bg-hover">
          <Icon name="bell" />
          <span className="sr-only">Inbox</span>
          <UnreadCount />
        </Link>
        <button type="button" aria-label="Search" onClick={() => setSearching(true)} className="rounded p-1.5 hover:bg-hover">
          <Icon name="search" />
        </button>
      </header>
      <aside
        className={`border-r border-line bg-panel md:sticky md:top-0 md:block md:h-dvh ${drawer ? 'fixed inset-x-0 top-[46px] bottom-0 z-30' : 'hidden'}`}
      >
        <Nav onSearch={() => setSearching(true)} />
      </aside>
      <main ref={main} id="main" tabIndex={-1} className="min-w-0 outline-none">
        <Banners />
        <Suspense
          fallback={
            <div className="p-8">
              <Loading />
            </div>
          }
        >
          <Place />
        </Suspense>
      </main>
      <Palette
        open={searching}
        onClose={() => setSearching(false)}
        newTask={() => setCreating(true)}
        showKeys={() => setKeys(true)}
      />
      <TaskNew open={creating} onClose={() => setCreating(false)} />
      <KeysHelp open={keys} onClose={() => setKeys(false)} />
    </div>
  )
}
