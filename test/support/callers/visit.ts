import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import type { Studio } from '../studio.ts'
import { openBrowser, openSite, openTab, signInAs, type Tab } from './browser.ts'

/** A studio and a user signed in with a browser, for all tests of a group. */
export function openVisit(world: object, email: string, password: string) {
  let studio: Studio | undefined
  let browser: Browser | undefined
  let tab: Tab
  beforeAll(async () => {
    studio = await openSite(world)
    browser = await openBrowser()
    tab = await openTab(browser, studio.service.site)
    await signInAs(tab, email, password)
  })
  afterAll(async () => {
    await browser?.close()
    await studio?.close()
  })
  return { studio: () => studio!, browser: () => browser!, tab: () => tab }
}
