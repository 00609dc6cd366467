import { DecisionInput } from '../bodies.ts'
import * as field from '../fields.ts'
import * as filter from '../filters.ts'
import * as param from '../params.ts'
import * as shape from '../shapes.ts'
import { ApprovalRules } from './approval-rules.ts'
import { get, plainGet, post, type TokenRoute } from './route.ts'

/** Assets, approvals and decisions. */

export const assetRoutes = {
  listAssets: {
    method: 'GET',
    path: '/v1/projects/:project_id/assets',
    scope: 'read:assets',
    summary: 'List the newest assets of a project',
    query: { ...filter.assets, limit: param.limit },
    shows: ['approval', 'preview'],
    reply: field.page('assets', shape.Asset, field.ShortPagination),
  },
  searchAssets: {
    method: 'GET',
    path: '/v1/projects/:project_id/search/assets',
    scope: 'read:assets',
    summary: 'Search the assets of a project by name and path, newest first',
    query: { ...filter.assets, ...filter.assetsSearch, ...param.paging },
    shows: ['approval', 'preview'],
    reply: field.page('assets', shape.Asset),
  },
  showAsset: {
    ...get,
    path: '/v1/projects/:project_id/assets/:asset_id',
    scope: 'read:assets',
    summary: 'Show an asset with its approval history',
    shows: ['approval', 'preview'],
    single: true,
    reply: shape.AssetDetail,
  },
  decideAsset: {
    ...post,
    path: '/v1/projects/:project_id/assets/:asset_id/approvals',
    scope: 'write:assets',
    summary: 'Approve, deny or ignore an asset',
    body: DecisionInput,
    reply: shape.DecidedApproval,
    created: 201,
    writes: true,
    role: 'approver',
  },
  listApprovals: {
    method: 'GET',
    path: '/v1/projects/:project_id/approvals',
    scope: 'read:assets',
    summary: 'List the approvals of a project, newest first',
    query: { ...filter.approvals, ...param.paging },
    shows: ['approval', 'preview'],
    reply: field.page('approvals', shape.Approval),
  },
  showApproval: {
    ...get,
    path: '/v1/projects/:project_id/approvals/:id',
    scope: 'read:assets',
    summary: 'Show an approval',
    shows: ['approval', 'preview'],
    reply: shape.Approval,
    // The list has the same fields.
    tool: false,
  },
  listApprovalRules: {
    ...plainGet,
    path: '/v1/projects/:project_id/approval_rules',
    scope: 'read:assets',
    summary: 'The approval rules of a project: which changed files need approval',
    reply: ApprovalRules,
    tool: false,
  },
} as const satisfies Record<string, TokenRoute>
