import type { DeploymentStatus } from '../../../contract/sets.ts'
import type { Fact } from '../../facts.ts'
import { at, type Json, number, text, time, word } from '../../reading.ts'
import { storeOf, trackIn } from '../../reports/environment.ts'

const STATES: ReadonlyMap<string, DeploymentStatus> = new Map([
  ['queued', 'uploading'],
  ['inProgress', 'uploading'],
  ['succeeded', 'live'],
  ['partiallySucceeded', 'live'],
  ['failed', 'rejected'],
  ['rejected', 'rejected'],
  ['canceled', 'rejected'],
])

/** Of a deployment that never ran: what stopped it. */
const STOPPED: readonly string[] = ['canceled', 'rejected', 'phasecanceled', 'phasefailed']

/** A listed deployment is read as if the event of its last change had been sent. */
export function listedDeployment(listed: Json): Fact[] {
  const { release, releaseEnvironment, deploymentStatus, operationStatus } = listed
  const isStopped = deploymentStatus === 'notDeployed' && STOPPED.includes(String(operationStatus).toLowerCase())
  const status = isStopped ? 'canceled' : deploymentStatus
  // "Never" is a time in the year 1.
  const times = [listed.completedOn, status === 'inProgress' ? listed.startedOn : undefined, listed.lastModifiedOn]
  const createdDate = times.find((one) => time(one) !== undefined)
  return deployment({ createdDate }, { deployment: { status, release }, environment: releaseEnvironment })
}

/** The events have two shapes: a deployment with its environment, or an environment alone. */
export function deployment(body: Json, resource: Json): Fact[] {
  const told = resource.deployment ?? resource.environment
  const environment = at(resource, 'deployment', 'environment') ?? resource.environment
  const releases = [at(told, 'release'), resource.release, at(environment, 'release')]
  const release = releases.find((one) => (number(at(one, 'id')) ?? 0) > 0)
  const [id, name] = [word(at(environment, 'id')), text(at(environment, 'name'))]
  const status = STATES.get(text(at(told, 'status')) ?? '')
  if (release === undefined || id === undefined || name === undefined || status === undefined) return []
  const platform = storeOf(name)
  return [
    {
      kind: 'deployment',
      platform,
      track: trackIn(name, platform),
      key: `release:${word(at(release, 'id'))}:${id}`,
      status,
      version: text(at(release, 'name')),
      external_id: word(at(release, 'id')),
      at: time(body.createdDate),
    },
  ]
}
