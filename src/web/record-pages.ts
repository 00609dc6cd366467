/** The pages of records as properties of a link: `<Link {...buildPage(projectId, id)}>`. */

type Id = string | number

export const buildPage = (projectId: Id, id: Id) =>
  ({ to: '/projects/$projectId/builds/$buildId', params: { projectId: String(projectId), buildId: String(id) } }) as const

export const changePage = (projectId: Id, id: Id) =>
  ({ to: '/projects/$projectId/changes/$changeId', params: { projectId: String(projectId), changeId: String(id) } }) as const

export const taskPage = (projectId: Id, id: Id) =>
  ({ to: '/projects/$projectId/tasks/$taskId', params: { projectId: String(projectId), taskId: String(id) } }) as const

export const breakagePage = (projectId: Id, id: Id) =>
  ({
    to: '/projects/$projectId/breakages/$breakageId',
    params: { projectId: String(projectId), breakageId: String(id) },
  }) as const

export const assetPage = (projectId: Id, id: Id) =>
  ({ to: '/projects/$projectId/assets/$assetId', params: { projectId: String(projectId), assetId: String(id) } }) as const

export const deploymentPage = (projectId: Id, id: Id) =>
  ({
    to: '/projects/$projectId/deployments/$deploymentId',
    params: { projectId: String(projectId), deploymentId: String(id) },
  }) as const

export const integrationPage = (projectId: Id, id: Id) =>
  ({
    to: '/projects/$projectId/integrations/$integrationId',
    params: { projectId: String(projectId), integrationId: String(id) },
  }) as const

/** The integrations of a project, where tools are connected. */
export const integrationsPage = (projectId: Id) =>
  ({ to: '/projects/$projectId/integrations', params: { projectId: String(projectId) } }) as const
