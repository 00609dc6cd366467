import type { BuildStatus } from '../../../contract/sets.ts'
import { artifactsOf, revisionOf } from '../../build-report.ts'
import type { Fact } from '../../facts.ts'
import { at, link, objects, text, Unreadable, word } from '../../reading.ts'
import { platformIn } from '../../reports/build-dimensions.ts'
import { isUnityPing } from '../unity.ts'

const STATUSES: ReadonlyMap<string, BuildStatus> = new Map([
  ['queued', 'queued'],
  ['senttobuilder', 'preparing'],
  ['started', 'building'],
  ['restarted', 'building'],
  ['success', 'completed'],
  ['failure', 'failed'],
  ['failed', 'failed'],
  ['canceled', 'cancelled'],
  ['cancelled', 'cancelled'],
])

/** Unity Build Automation numbers its builds per project and target, so the two together are the job. */
export function readUnityBuild(body: unknown): Fact[] {
  if (isUnityPing(body)) return []
  const [target, run] = [text(at(body, 'buildTargetName')), word(at(body, 'buildNumber'))]
  if (target === undefined || run === undefined) throw new Unreadable('A Unity build names its buildTargetName and buildNumber.')
  const status = STATUSES.get(text(at(body, 'buildStatus'))?.toLowerCase() ?? '')
  if (!status) return []
  const project = text(at(body, 'projectName'))
  return [
    {
      kind: 'build',
      build: { job: project ? `${project}/${target}` : target, number: run },
      status,
      build_type: 'unity',
      platform: platformIn(at(body, 'platform')),
      ...revisionOf(at(body, 'lastBuiltRevision')),
      url: page(at(body, 'links')),
      artifacts: artifactsOf(objects(at(body, 'links', 'artifacts')).flatMap((artifact) => objects(at(artifact, 'files')))),
    },
  ]
}

/** The links are relative to the dashboard, whose own URL is next to them. */
function page(links: unknown): string | undefined {
  const [summary, dashboard] = [text(at(links, 'dashboard_summary', 'href')), link(at(links, 'dashboard_url', 'href'))]
  if (summary?.startsWith('/') && dashboard && URL.canParse(summary, dashboard)) return new URL(summary, dashboard).href
  return link(summary) ?? dashboard
}
