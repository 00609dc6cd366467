import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import type { DemoService } from '../../test/support/demo-service.ts'
import { CHROMIUM } from '../../test/support/programs.ts'

export type ColorScheme = 'light' | 'dark'

export function openBrowser(): Promise<Browser> {
  if (!CHROMIUM) throw new Error('No Chromium found. Install it, or set CHROMIUM to its path.')
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] })
}

/** A page of somebody who signed in to the demo. */
export async function signIn(page: Page, { site, email, password }: DemoService) {
  await page.goto(`${site}/sign-in`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

/** Opens a page and waits until nothing on it loads any more. */
export async function open(page: Page, url: string) {
  await page.goto(url)
  await page.getByRole('heading').first().waitFor()
  await page.locator('body:not(:has([role="status"][aria-label="Loading"]))').waitFor()
  await page.evaluate('document.fonts.ready')
}

/** A picture without caret and animations. WebP is half the size of a PNG here, and only the browser itself makes it. */
export async function takePicture(page: Page, file: string, colorScheme: ColorScheme, quality = 82) {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.addStyleTag({ content: '* { caret-color: transparent !important; transition: none !important }' }).catch(() => {})
  await page.waitForTimeout(400)
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality })
  await session.detach()
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, Buffer.from(data, 'base64'))
}
