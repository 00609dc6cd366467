import { mkdir, writeFile } from 'node:fs/promises'
import { chromium } from 'playwright-core'

/**
 * The picture in README.md: the newest failed build of the demo studio's first game, asked why. Start the service on an empty data
 * folder, then:
 *   EMAIL=… PASSWORD=… npx tsx scripts/readme-picture.ts
 */
const { SITE = 'http://localhost:8080', EMAIL = '', PASSWORD = '', CHROMIUM = '/usr/bin/chromium' } = process.env
const FOLDER = 'docs/images'

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
const page = await browser.newPage({ viewport: { width: 1280, height: 676 }, colorScheme: 'light', reducedMotion: 'reduce' })
await page.goto(`${SITE}/sign-in`)
await page.getByLabel('Email').fill(EMAIL)
await page.getByLabel('Password').fill(PASSWORD)
await page.getByRole('button', { name: 'Sign in' }).click()
await page.waitForURL('**/feed')

const { build_runs } = await (await page.request.get(`${SITE}/app/api/v1/projects/1/build_runs?status=failed&limit=1`)).json()
await page.goto(`${SITE}/projects/1/builds/${build_runs[0].id}`)
const found = page.getByText('Suspects', { exact: true })
const investigate = page.getByRole('button', { name: 'Investigate', exact: true })
await found.or(investigate).waitFor()
if (await investigate.isVisible()) await investigate.click()
await found.waitFor()
// The log below and the fonts follow.
await page.waitForLoadState('networkidle')

// WebP is half of a PNG here; only the browser itself makes it.
const session = await page.context().newCDPSession(page)
const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 90 })
await mkdir(FOLDER, { recursive: true })
await writeFile(`${FOLDER}/failed-build.webp`, Buffer.from(data, 'base64'))
await browser.close()
