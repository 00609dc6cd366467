import type { DeploymentStatus } from '../../../contract/sets.ts'
import { revisionOf } from '../../build-report.ts'
import type { Fact } from '../../facts.ts'
import { at, text, Unreadable, word } from '../../reading.ts'
import { isUnityPing } from '../unity.ts'

/** A finished cloud build can be handed out: no store reviews it. */
const STATUSES: ReadonlyMap<string, { status: DeploymentStatus; uploaded?: true }> = new Map([
  ['queued', { status: 'pending' }],
  ['started', { status: 'uploading' }],
  ['restarted', { status: 'uploading' }],
  ['success', { status: 'approved', uploaded: true }],
  ['failure', { status: 'rejected' }],
  ['failed', { status: 'rejected' }],
  ['canceled', { status: 'rejected' }],
])

/** Unity Build Automation, if a studio sends it to the deployment intake. */
export function readUnity(body: unknown): Fact[] {
  if (isUnityPing(body)) return []
  const [target, build_number] = [text(at(body, 'buildTargetName')), word(at(body, 'buildNumber'))]
  if (target === undefined || build_number === undefined)
    throw new Unreadable('A Unity build names its buildTargetName and buildNumber.')
  const status = STATUSES.get(text(at(body, 'buildStatus'))?.toLowerCase() ?? '')
  if (!status) return []
  const [project, name] = [text(at(body, 'projectGuid')), text(at(body, 'projectName'))]
  return [
    {
      kind: 'deployment',
      platform: 'unity_cloud',
      key: [project, target, build_number].filter(Boolean).join(' '),
      ...status,
      // The same name as in the CI's reports of this build.
      job_name: name ? `${name}/${target}` : target,
      build_number,
      track: target,
      branch: target,
      external_id: project,
      commit: revisionOf(at(body, 'lastBuiltRevision')).commit_hash,
    },
  ]
}
