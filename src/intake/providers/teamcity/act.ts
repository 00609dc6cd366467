import { Unreachable } from '../../../net/safe-fetch.ts'
import { at, objects, text } from '../../reading.ts'
import type { Act } from '../ci-action.ts'
import { Refused } from '../ci-replies.ts'
import { teamCityAt } from './server.ts'

const FIELDS = 'buildType(id),branchName,personal,lastChanges(change(id)),originalProperties(property(name,value))'

/** Queues a build again at its revision, with the parameters it was started with; or stops it, or queues one of the newest state. */
export const actAtTeamCity: Act = async (action, { external_id, status }, config, allowed, parameters) => {
  const id = /^build:(\d+)$/.exec(external_id ?? '')?.[1]
  if (id === undefined) throw new Refused('The id of this build at TeamCity is unknown.')
  const server = teamCityAt(config, allowed)
  if (action === 'stop') {
    const place = status === 'queued' ? 'buildQueue' : 'builds'
    return server(`/app/rest/${place}/id:${id}`, { comment: 'Stopped in Goldmaster', readdIntoQueue: false })
  }
  const build = await server(`/app/rest/builds/id:${id}?fields=${FIELDS}`)
  const type = text(at(build, 'buildType', 'id'))
  if (type === undefined) throw new Unreachable('TeamCity does not say which configuration this build is of.')
  const branch = text(at(build, 'branchName'))
  const wanted = { buildType: { id: type }, ...(branch !== undefined && { branchName: branch }) }
  if (action === 'start') {
    const property = Object.entries(parameters).map(([name, value]) => ({ name, value }))
    return server('/app/rest/buildQueue', { ...wanted, ...(property.length > 0 && { properties: { property } }) })
  }
  if (at(build, 'personal') === true)
    throw new Refused('This is a personal build: its changes are only at TeamCity. Retry it there.')
  const properties = objects(at(build, 'originalProperties', 'property'))
  const hidden = properties.find(({ value }) => value === undefined)
  if (hidden) throw new Refused(`TeamCity hides the value of the parameter ${text(hidden.name)}. Retry the build in TeamCity.`)
  const [change] = objects(at(build, 'lastChanges', 'change'))
  return server('/app/rest/buildQueue', {
    ...wanted,
    ...(change && { lastChanges: { change: [{ id: change.id }] } }),
    properties: { property: properties.map(({ name, value }) => ({ name, value })) },
  })
}
