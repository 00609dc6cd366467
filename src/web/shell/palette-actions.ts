import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { AppName, AppReply } from '../../contract/app/routes.ts'
import { ask } from '../api.ts'
import { waitsFor } from '../features/assets/decisions.ts'
import { refresh } from '../queries.ts'
import { useAccount, useMe, useProject } from '../session.ts'
import { setTheme, useTheme } from '../theme.ts'
import type { IconName } from '../ui/icons.ts'
import { useCopy } from '../ui/text/clipboard.ts'
import { useReport } from '../ui/toast.tsx'

type Hit = AppReply<'search'>['hits'][number]

/** An action of the palette instead of a link. */
interface Action {
  /** Its key. */
  id: string
  title: string
  detail: string
  icon: IconName
  run(): unknown
}

const VERBS = ['claim', 'approve', 'investigate', 'copy'] as const
type Verb = (typeof VERBS)[number]

/** `approve t_crate`: the action and its subject. Without an action the whole text is searched. */
export function readVerb(text: string): { verb: Verb | undefined; about: string } {
  const [, word = '', about = ''] = /^\s*(\S+)(?:\s+(?:link(?:\s+to)?\s+)?(.*))?$/i.exec(text) ?? []
  const verb = VERBS.find((each) => each === word.toLowerCase())
  return verb ? { verb, about: about.trim() } : { verb: undefined, about: text.trim() }
}

export interface Openers {
  newTask(): void
  showKeys(): void
}

/** The available actions: on the current page, on search results of a verb, and of the app itself. */
export function useActions(text: string, hits: readonly Hit[], { newTask, showKeys }: Openers): Action[] {
  const { verb, about } = readVerb(text)
  const project = useProject()
  const readOnly = useAccount()?.read_only != null
  const { projectId, buildId, assetId, breakageId } = useParams({ strict: false }) as Record<string, string | undefined>
  const record = useRecordActions()
  const shown = useQueryClient().getQueryData<AppReply<'showAsset'>>([
    'showAsset',
    { project_id: projectId ?? '', asset_id: assetId ?? '' },
  ])
  const theme = useTheme()
  const copy = useCopy()
  const link = (path: string, title: string): Action => ({
    id: `copy ${path}`,
    title: `Copy link to ${title}`,
    detail: '',
    icon: 'copy',
    run: () => copy(new URL(path, location.href).href, 'Link'),
  })
  if (verb && about !== '') {
    return hits.flatMap(({ kind, url, title, detail, project_id, version }) => {
      const id = url.slice(url.lastIndexOf('/') + 1)
      if (verb === 'copy') return [link(url, title || detail)]
      if (verb === 'claim' && kind === 'breakage' && detail === 'open') return [record.claim(project_id, id, title)]
      if (verb === 'approve' && kind === 'asset') return [record.approve(project_id, id, title, version)]
      return verb === 'investigate' && kind === 'build' && detail === 'failed' ? [record.investigate(project_id, id, title)] : []
    })
  }
  const all: Action[] = [
    ...(project && buildId && !readOnly ? [record.investigate(project.id, buildId, 'this build')] : []),
    ...(project && assetId && !readOnly ? [record.approve(project.id, assetId, 'this asset', shown?.version)] : []),
    ...(project && breakageId && !readOnly ? [record.claim(project.id, breakageId, 'this breakage')] : []),
    ...(project && !readOnly
      ? [{ id: 'new task', title: 'New task', detail: project.name, icon: 'plus' as const, run: newTask }]
      : []),
    link(location.href, 'this page'),
    ...(['light', 'dark', 'system'] as const)
      .filter((each) => each !== theme)
      .map((each) => ({
        id: `theme ${each}`,
        title: each === 'system' ? 'System theme' : `${each === 'dark' ? 'Dark' : 'Light'} theme`,
        detail: 'Switch theme',
        icon: 'settings' as const,
        run: () => setTheme(each),
      })),
    { id: 'keys', title: 'Keyboard shortcuts', detail: 'All shortcuts of the app', icon: 'key', run: showKeys },
  ]
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return words.length === 0
    ? []
    : all.filter(({ title, detail }) => words.every((word) => `${title} ${detail}`.toLowerCase().includes(word)))
}

/** Actions that change a record and show the result as a toast. */
function useRecordActions() {
  const client = useQueryClient()
  const showResult = useReport()
  const { user } = useMe()
  const report = async <T>(request: Promise<T>, done: string | ((value: T) => string), touches: AppName[]) => {
    await showResult(request, done)
    void refresh(client, touches)
  }
  return {
    investigate: (project: number, id: string, title: string): Action => ({
      id: `investigate ${id}`,
      title: `Investigate ${title}`,
      detail: 'Why did it fail?',
      icon: 'search',
      run: () =>
        report(ask('investigateBuild', { project_id: String(project), build_run_id: id }), `${title}: investigation started`, [
          'showBuild',
          'showMe',
        ]),
    }),
    /** Approves the version that is shown. */
    approve: (project: number, id: string, title: string, version = 0): Action => ({
      id: `approve ${id}`,
      title: `Approve ${title}`,
      detail: version > 0 ? `Version ${version}` : '',
      icon: 'approval',
      run: () =>
        report(
          ask('decideAsset', {
            project_id: String(project),
            asset_id: id,
            body: { status: 'approved' },
            headers: { 'if-match': `"${version}"` },
          }),
          (decided) => [`${title} approved`, waitsFor(decided)].filter(Boolean).join('. '),
          ['listApprovals', 'listAssets', 'showAsset', 'showOverview'],
        ),
    }),
    claim: (project: number | string, id: string, title: string): Action => ({
      id: `claim ${id}`,
      title: `Claim ${title}`,
      detail: `Breakage #${id}`,
      icon: 'breakage',
      run: () =>
        report(
          ask('editBreakage', { project_id: String(project), id, body: { state: 'claimed', owner_user_id: user.id } }),
          'Breakage claimed',
          ['showBreakage', 'listBreakages', 'showOverview'],
        ),
    }),
  }
}
