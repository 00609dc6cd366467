import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { startDemo } from '../../test/support/demo-service.ts'
import { open, openBrowser, signIn, takePicture } from './browser.ts'
import { DOCS_PICTURES } from './docs-pictures.ts'
import { inside, OUTSIDE, type Shot } from './every-page.ts'
import { cutTexts, lengthen } from './lengthen.ts'

/**
 * Pictures of the demo studio, in both color schemes:
 *   npm run screenshots                      the pictures of README and docs, into docs/images
 *   npm run screenshots -- --every           every page, wide and narrow, into screenshots
 *   npm run screenshots -- --every --long    the same with texts a third longer; prints texts that do not fit
 *   npm run screenshots -- --only breakage   only pictures whose name contains this
 */
const { values } = parseArgs({
  options: { every: { type: 'boolean' }, long: { type: 'boolean' }, only: { type: 'string', default: '' } },
})
const SCHEMES = ['light', 'dark'] as const
const WIDTHS = [
  ['wide', 1280],
  ['narrow', 390],
] as const

// Addresses in the pictures are the usual ones, unless something else runs there: then set PORT.
spawnSync(process.execPath, ['scripts/build.mjs', '--if-stale'], { stdio: 'inherit' })
const demo = await startDemo(Number(process.env.PORT ?? 8080))
const browser = await openBrowser()
try {
  // English and UTC wherever this runs, so that times and numbers in the pictures are the same.
  const context = await browser.newContext({ locale: 'en-US', timezoneId: 'UTC', bypassCSP: true })
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  if (values.every) await everyPage()
  else await docsPictures()

  async function docsPictures() {
    await signIn(page, demo)
    for (const { name, height = 800, path, prepare } of DOCS_PICTURES) {
      if (!name.includes(values.only)) continue
      await page.setViewportSize({ width: 1280, height })
      await open(page, `${demo.site}${typeof path === 'string' ? path : await path(page, demo.site)}`)
      await prepare?.(page)
      for (const scheme of SCHEMES) await takePicture(page, `docs/images/${name}-${scheme}.webp`, scheme)
    }
  }

  async function everyPage() {
    const mark = values.long ? 'long-' : ''
    const take = async (shots: Shot[]) => {
      for (const [name, path, act] of shots) {
        if (!name.includes(values.only)) continue
        for (const [size, width] of WIDTHS) {
          await page.setViewportSize({ width, height: 900 })
          await open(page, `${demo.site}${path}`)
          await act?.(page)
          if (values.long) await lengthen(page)
          for (const problem of await cutTexts(page)) console.log(`${name} ${size}: ${problem}`)
          for (const scheme of SCHEMES) await takePicture(page, `screenshots/${mark}${name}-${scheme}-${size}.webp`, scheme)
        }
      }
    }
    await take(OUTSIDE)
    await page.setViewportSize({ width: 1280, height: 900 })
    await signIn(page, demo)
    await take(await inside(page, demo.site))
  }
} finally {
  await browser.close()
  await demo.stop()
}
