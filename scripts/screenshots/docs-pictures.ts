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

/** A test of the demo's first game that fails now. */
async function failingTest(page: Page, site: string) {
  const ask = async (path: string) => (await page.request.get(`${site}/app/api/v1/projects/1/${path}`)).json()
  const { failing } = await ask('tests')
  const tests = await Promise.all(failing.map(({ id }: { id: string }) => ask(`tests/${id}`)))
  const found = tests.find(({ branches }) => branches.some((each: { failing: boolean }) => each.failing))
  return `/projects/1/tests/${(found ?? failing[0]).id}`
}

/** Its measure that is over its budget. */
async function measureOverBudget(page: Page, site: string) {
  const { measures } = await (await page.request.get(`${site}/app/api/v1/projects/1/measures`)).json()
  const { name, job, branch, platform } = measures.find(({ over_budget }: { over_budget: boolean }) => over_budget) ?? measures[0]
  return `/projects/1/measures/trend?${new URLSearchParams({ name, job, branch, ...(platform && { platform }) })}`
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

/** The demo makes the pictures of its assets in the background. */
async function picturedQueue(page: Page, site: string) {
  for (;;) {
    const answer = await page.request.get(`${site}/app/api/v1/projects/1/approvals?status=pending&previews=true`)
    const { approvals } = await answer.json()
    const isDone = (one: { asset_path: string; preview: { state: string } | null }) =>
      one.preview?.state === 'ready' || one.asset_path.includes('__ExternalActors__')
    if (approvals.every(isDone)) break
    await page.waitForTimeout(1_000)
  }
  return '/projects/1/approvals'
}

/** Every picture on the page is shown. */
const pictures = (page: Page) =>
  page.waitForFunction(`[...document.querySelectorAll('main img')].every((img) => img.complete && img.naturalWidth > 16)`)

/** The second waiting asset, above the others. */
async function filmstrip(page: Page) {
  await page.getByRole('button', { name: 'Filmstrip' }).click()
  await page.keyboard.press('j')
  await pictures(page)
}

async function sideBySide(page: Page) {
  await page.keyboard.press('s')
  await pictures(page)
}

/** The denied asset of the demo with a comment at a point. */
async function commentedAsset(page: Page, site: string) {
  const ask = async (path: string) => (await page.request.get(`${site}/app/api/v1/projects/1/${path}`)).json()
  for (;;) {
    const { assets } = await ask('assets?approval_status=denied&limit=100')
    for (const { id } of assets)
      if (
        (await ask(`assets/${id}/previews`)).previews.length > 1 &&
        (await ask(`assets/${id}/comments`)).comments.some(({ point }: { point: object | null }) => point)
      )
        return `/projects/1/assets/${id}`
    await page.waitForTimeout(1_000)
  }
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
  { name: 'approvals', height: 760, path: picturedQueue, prepare: filmstrip },
  { name: 'asset', height: 1000, path: commentedAsset, prepare: sideBySide },
  { name: 'deployments', height: 620, path: '/projects/1/deployments' },
  { name: 'deployment', height: 860, path: newest('deployments?status=live', 'deployments') },
  { name: 'tests', height: 720, path: '/projects/1/tests' },
  { name: 'test', height: 720, path: failingTest },
  { name: 'measures', height: 640, path: '/projects/1/measures' },
  { name: 'measure', height: 760, path: measureOverBudget },
  { name: 'agents', height: 480, path: '/projects/1/agents' },
  { name: 'integrations', height: 380, path: '/projects/1/integrations' },
  { name: 'people', height: 760, path: '/settings/members' },
  { name: 'single-sign-on', path: '/settings/single-sign-on' },
  { name: 'service-status', path: '/settings/service', prepare: hideHost },
  { name: 'audit-log', height: 560, path: auditedChanges },
]
