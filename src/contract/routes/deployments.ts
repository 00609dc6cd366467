import { DeploymentEdit } from '../bodies.ts'
import * as field from '../fields.ts'
import * as filter from '../filters.ts'
import * as param from '../params.ts'
import * as shape from '../shapes.ts'
import { get, patch, type TokenRoute } from './route.ts'

/** Deployments to stores. */

export const deploymentRoutes = {
  listDeployments: {
    method: 'GET',
    path: '/v1/projects/:project_id/deployments',
    scope: 'read:builds',
    summary: 'List the deployments of a project, newest first',
    query: { ...filter.deployments, ...param.paging },
    shows: ['deployment'],
    reply: field.page('deployments', shape.Deployment),
  },
  searchDeployments: {
    method: 'GET',
    path: '/v1/projects/:project_id/search/deployments',
    scope: 'read:builds',
    summary: 'List what is live in the stores, or the deployments that are not, newest first',
    query: { ...filter.deployments, ...filter.deploymentsSearch, ...param.paging },
    shows: ['deployment'],
    reply: field.page('deployments', shape.Deployment),
  },
  showDeployment: {
    ...get,
    path: '/v1/projects/:project_id/deployments/:id',
    scope: 'read:builds',
    summary: 'Show a deployment with its build run',
    shows: ['deployment'],
    single: true,
    reply: shape.DeploymentDetail,
  },
  showDeploymentBuild: {
    ...get,
    path: '/v1/projects/:project_id/deployments/:id/build',
    scope: 'read:builds',
    summary: 'Show how the build run of a deployment was found, or why none was, with candidates',
    shows: ['deployment'],
    reply: shape.DeploymentBuild,
    tool: false,
  },
  editDeployment: {
    ...patch,
    path: '/v1/projects/:project_id/deployments/:id',
    scope: 'write:deployments',
    summary: 'Set the status of a deployment by hand, or link a build run',
    body: DeploymentEdit,
    reply: shape.DeploymentDetail,
    writes: true,
  },
} as const satisfies Record<string, TokenRoute>
