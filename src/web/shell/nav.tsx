import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { UnreadCount } from '../features/inbox/unread-count.tsx'
import { signOut } from '../features/sign-in/sign-out.ts'
import { queryClient } from '../queries.ts'
import { useMe, useProject } from '../session.ts'
import { setTheme, useTheme } from '../theme.ts'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { itemClass, Menu } from '../ui/menu.tsx'
import { PROJECT_PAGES, settingsGroups } from './navigation.ts'

const line = 'flex items-center gap-2 rounded-md px-2 py-1.5 text-sm text-soft hover:bg-hover hover:text-ink'
const SEARCH_KEY = /Mac|iP(?:hone|ad)/.test(navigator.platform) ? '⌘K' : 'Ctrl K'
const here = { className: 'bg-hover text-ink font-medium', 'aria-current': 'page' as const }

interface GoProps {
  to: string
  icon: IconName
  children: string
  exact?: boolean
  /** At the end of the line. */
  beside?: ReactNode
}

const Go = ({ to, icon, children, exact = false, beside }: GoProps) => (
  <Link to={to} className={line} activeProps={here} activeOptions={{ exact }}>
    <Icon name={icon} />
    <span className="min-w-0 flex-1 truncate" title={children}>
      {children}
    </span>
    {beside}
  </Link>
)

/** As many as keep the settings visible; the menu above has all. */
const PROJECTS_MAX = 8

/** The sidebar: the project, its pages, and the user. */
export function Nav({ onSearch }: { onSearch(): void }) {
  const project = useProject()
  const me = useMe()
  const { projects } = me
  const path = useRouterState({ select: (state) => state.location.pathname })
  return (
    <nav aria-label="Main" className="flex h-full flex-col gap-1 overflow-y-auto p-3">
      <ProjectSwitcher />
      <button type="button" onClick={onSearch} className={`${line} w-full`}>
        <Icon name="search" />
        <span className="flex-1 text-left">Search</span>
        <kbd className="rounded border border-line px-1 text-xs max-md:hidden">{SEARCH_KEY}</kbd>
      </button>
      <Go to="/feed" icon="feed">
        Feed
      </Go>
      <Go to="/inbox" icon="bell" beside={<UnreadCount />}>
        Inbox
      </Go>
      {project && (
        <div className="mt-3 grid gap-0.5">
          {PROJECT_PAGES.map(([path, label, icon]) => (
            <Go key={label} to={`/projects/${project.id}${path}`} icon={icon} exact={path === ''}>
              {label}
            </Go>
          ))}
        </div>
      )}
      {!project && projects.length > 0 && (
        <div className="mt-3 grid grid-cols-1 gap-0.5">
          <span className="px-2 py-1 text-xs font-medium text-faint">Projects</span>
          {projects.slice(0, PROJECTS_MAX).map(({ id, name }) => (
            <Go key={id} to={`/projects/${id}`} icon="overview">
              {name}
            </Go>
          ))}
        </div>
      )}
      <details className="mt-3" open={path.startsWith('/settings')}>
        <summary className="px-2 py-1 text-xs font-medium text-faint">Settings</summary>
        <Go to="/settings" icon="settings" exact>
          All settings
        </Go>
        {settingsGroups(me).map(([group, places]) => (
          <div key={group}>
            <span className="block px-2 pt-2 pb-0.5 text-xs text-faint">{group}</span>
            {places.map(([path, label, icon]) => (
              <Go key={path} to={path} icon={icon}>
                {label}
              </Go>
            ))}
          </div>
        ))}
      </details>
      <div className="mt-auto pt-3">
        <Person />
      </div>
    </nav>
  )
}

function ProjectSwitcher() {
  const { accounts, projects } = useMe()
  const project = useProject()
  return (
    <Menu
      name="Select a project"
      className="flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left font-semibold hover:bg-hover"
      label={
        <>
          <img src="/icon.svg" alt="" className="size-5" />
          <span className="min-w-0 flex-1 truncate" title={project?.name}>
            {project?.name ?? 'Goldmaster'}
          </span>
          <Icon name="down" className="text-faint" />
        </>
      }
    >
      {accounts.map((account) => (
        <div key={account.id} className="grid grid-cols-1">
          <span className="truncate px-2 pt-2 pb-1 text-xs text-faint" title={account.name}>
            {account.name}
          </span>
          {projects
            .filter(({ account_id }) => account_id === account.id)
            .map(({ id, name, status }) => (
              <Link key={id} to="/projects/$projectId" params={{ projectId: String(id) }} className={itemClass}>
                <span className="min-w-0 flex-1 truncate" title={name}>
                  {name}
                </span>
                {status !== 'active' && <span className="text-xs text-faint">{status}</span>}
              </Link>
            ))}
        </div>
      ))}
      <Link to="/projects/new" className={`${itemClass} mt-1 border-t border-line`}>
        <Icon name="plus" /> New project
      </Link>
    </Menu>
  )
}

function Person() {
  const { user } = useMe()
  const theme = useTheme()
  const navigate = useNavigate()
  const leave = async () => {
    if (!(await signOut())) return
    await navigate({ to: '/sign-in' })
    queryClient.clear()
  }
  return (
    <Menu
      up
      name="You"
      className={`${line} w-full`}
      label={
        <>
          <Icon name="person" />
          <span className="min-w-0 flex-1 truncate text-left">{user.name}</span>
        </>
      }
    >
      <Link to="/settings" className={itemClass}>
        Settings
      </Link>
      <button
        type="button"
        className={itemClass}
        onClick={() => setTheme(theme === 'system' ? 'dark' : theme === 'dark' ? 'light' : 'system')}
      >
        Theme: {theme}
      </button>
      <a href="/api/docs" className={itemClass}>
        API reference
      </a>
      <button type="button" className={itemClass} onClick={leave}>
        Sign out
      </button>
    </Menu>
  )
}
