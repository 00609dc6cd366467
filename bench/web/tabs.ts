import { type Browser, chromium, type Page } from 'playwright-core'
import { CHROMIUM } from '../../test/support/programs.ts'

export interface Tab {
  /** The path of the person's project. */
  project: string
  /** Milliseconds from requesting a URL until everything on the page is loaded. */
  open(path: string): Promise<number>
  /** Milliseconds from the last key press in the palette until the results are shown. */
  search(words: string): Promise<number>
}

interface Person {
  email: string
  password: string
  project_id: number
}

/**
 * Runs in every page before its own scripts. Settled means: it has a heading, nothing on it is loading, and for five frames no request was
 * running; the time is that of the first of these.
 */
const WATCH = `
  let open = 0
  window.asked = []
  const fetched = window.fetch
  window.fetch = async (...given) => {
    const url = String(given[0]?.url ?? given[0])
    if (url.includes('/stream')) return fetched(...given)
    open++
    try {
      const answer = await fetched(...given)
      await answer.clone().arrayBuffer()
      return answer
    } finally {
      open--
      window.asked.push(url)
    }
  }
  addEventListener('input', () => { window.typed = performance.now() }, true)
  window.settled = (ready = () => true) => new Promise((resolve) => {
    let since = 0
    let frames = 0
    const look = () => {
      const still = open === 0 && ready() && document.querySelector('h1') && !document.querySelector('[role=status][aria-label=Loading]')
      if (!still) frames = 0
      else if (frames++ === 0) since = performance.now()
      if (frames > 5) resolve(since)
      else requestAnimationFrame(look)
    }
    look()
  })`

export function openBrowser(): Promise<Browser> {
  if (!CHROMIUM) throw new Error('There is no Chromium here; CHROMIUM names one.')
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] })
}

export async function signIn(page: Page, site: string, { email, password }: Pick<Person, 'email' | 'password'>) {
  await page.goto(`${site}/sign-in`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

/** A signed-in person with their own window. */
export async function openTab(browser: Browser, site: string, { project_id, ...person }: Person): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  await page.addInitScript(WATCH)
  await signIn(page, site, person)

  /** Remaining work of another tab must not disturb the next one's turn. */
  const leave = () => page.goto('about:blank')
  return {
    project: `/projects/${project_id}`,
    async open(path) {
      await page.goto(`${site}${path}`, { waitUntil: 'commit' })
      const took = await page.evaluate<number>('settled(() => asked.length > 1)')
      await leave()
      return took
    },
    async search(words) {
      await page.goto(`${site}/projects/${project_id}/builds`, { waitUntil: 'commit' })
      await page.evaluate('settled(() => asked.length > 1)')
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder(/Go to a page/).fill(words)
      const took = await page.evaluate<number>(
        `settled(() => asked.some((url) => url.includes('/search?'))).then((at) => at - typed)`,
      )
      await leave()
      return took
    },
  }
}
