import type { Page } from 'playwright-core'

export interface DocsPicture {
  /** Files are called `<name>-light.webp` and `<name>-dark.webp`. */
  name: string
  height?: number
  path: string | ((page: Page, site: string) => Promise<string>)
  prepare?(page: Page): Promise<unknown>
}

/** The newest record of a list of the demo's first game. */
const newest = (list: string, folder: string) => async (page: Page, site: string) => {
  const answer = await page.request.get(`${site}/app/api/v1/projects/1/${list}`)
  return `/projects/1/${folder}/${(await answer.json())[list.replace(/\?.*/, '')][0].id}`
}

/** The demo investigates builds by itself; where it has not, this does. */
async function investigate(page: Page) {
  const found = page.getByText('Suspects', { exact: true })
  const button = page.getByRole('button', { name: 'Investigate', exact: true })
  await found.or(button).first().waitFor()
  if (await button.isVisible()) await button.click()
  await found.first().waitFor()
}

/** A few changes by people, so that the audit log has something to show; it is the last picture for that reason. */
async function auditedChanges(page: Page, site: string) {
  const patch = (path: string, data: object) =>
    page.request.patch(`${site}/app/api/v1${path}`, { data, headers: { 'sec-fetch-site': 'same-origin' } })
  const [breakage] = (await (await page.request.get(`${site}/app/api/v1/projects/1/breakages?state=open`)).json()).breakages
  await patch('/accounts/1/members/2', { role: 'admin' })
  await patch(`/projects/1/breakages/${breakage.id}`, { state: 'claimed' })
  await patch('/accounts/1', { timezone: 'Europe/Berlin' })
  return '/settings/audit'
}

/** The name of the machine that makes the pictures is nobody's business. */
const hideHost = (page: Page) =>
  page.evaluate(`for (const cell of document.querySelectorAll('td:first-child')) {
    if (cell.closest('table').querySelector('th')?.textContent === 'Node') cell.textContent = 'gold-1'
  }`)

export const DOCS_PICTURES: DocsPicture[] = [
  { name: 'failed-build', height: 720, path: newest('build_runs?status=failed&limit=1', 'builds'), prepare: investigate },
  { name: 'overview', path: '/projects/1' },
  { name: 'breakage', height: 860, path: newest('breakages?state=open', 'breakages') },
  { name: 'branches', height: 400, path: '/projects/1/branches' },
  { name: 'approvals', height: 520, path: '/projects/1/approvals' },
  { name: 'deployments', height: 620, path: '/projects/1/deployments' },
  { name: 'deployment', height: 860, path: newest('deployments?status=live', 'deployments') },
  { name: 'integrations', height: 380, path: '/projects/1/integrations' },
  { name: 'people', height: 760, path: '/settings/members' },
  { name: 'single-sign-on', path: '/settings/single-sign-on' },
  { name: 'service-status', path: '/settings/service', prepare: hideHost },
  { name: 'audit-log', height: 560, path: auditedChanges },
]
