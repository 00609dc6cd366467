import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { axe, openTab, signInAs } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { wav } from '../support/files/decoded-pictures.ts'
import { glb } from '../support/files/glb.ts'
import { pngOf } from '../support/files/pictures.ts'
import { describeWith } from '../support/skippable.ts'
import { workshop } from '../support/studios/workshop.ts'

const PASSWORD = 'a long enough password'
const NAMES = ['T_Rock.png', 'SM_Rock.glb', 'V_Trailer.webm', 'Items.csv', 'A_Wind.wav', 'T_None.png', 'T_Bad.png']
const world = {
  ...workshop,
  users: workshop.users.map((user) => ({ ...user, password: PASSWORD })),
  assets: NAMES.map((name) => ({
    key: name,
    project: 'star',
    name,
    path: `Content/${name}`,
    asset_type: name.endsWith('.glb') ? 'model' : 'texture',
    version: 2,
  })),
}

/** Gray, with a white square that is elsewhere in each version. */
const rock = (at: number) =>
  pngOf(64, 32, (x, y) => (x >= at && x < at + 8 && y >= 8 && y < 16 ? [255, 255, 255, 255] : [90, 90, 90, x < 4 ? 0 : 255]))

describeWith('chromium')('the viewer of an asset in a browser', () => {
  const { studio, browser, tab } = openVisit(world, 'lead@example.com', PASSWORD)
  const project = () => `/projects/${studio().world.projects!.star!.id}`
  const idOf = (name: string) => studio().world.assets![name]!.id as string
  const pageOf = (name: string) => `${project()}/assets/${idOf(name)}`
  const token = () => studio().world.tokens!.lead!.token as string
  const upload = async (name: string, version: number, raw: Buffer<ArrayBuffer>) =>
    studio().ask(`/api/v1${pageOf(name)}/versions/${version}/preview`, {
      method: 'PUT',
      token: token(),
      raw,
      headers: { 'content-type': 'application/octet-stream' },
    })
  const commentsOf = async (name: string) =>
    (await studio().ask(`/api/v1${pageOf(name)}/comments`, { token: token() })).json.comments as {
      body: string
      asset_version: number
      point: { x: number; y: number } | null
      resolved_at: string | null
    }[]
  const open = async (page: Page, name: string) => {
    await page.goto(`${studio().service.site}${pageOf(name)}`)
    await page.getByRole('region', { name: 'Viewer' }).waitFor()
  }

  /** Plays and pauses before the browser has loaded anything to play. */
  const pressTwice = async (name: string) => {
    const button = tab().page.getByRole('button', { name, exact: true })
    await button.evaluate((element: HTMLButtonElement) => {
      for (const media of document.querySelectorAll<HTMLMediaElement>('audio, video')) media.load()
      element.click()
      element.click()
    })
  }

  test('compares two versions of a picture by keys alone', async () => {
    for (const version of [1, 2]) expect((await upload('T_Rock.png', version, rock(16 * version))).status).toBeLessThan(300)
    const { page } = tab()
    await open(page, 'T_Rock.png')
    const viewer = page.getByRole('region', { name: 'Viewer' })
    await viewer.getByAltText('Version 2').first().waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('s')
    await viewer.getByRole('application', { name: 'Picture of version 1' }).waitFor()
    await page.keyboard.press('x')
    // Two squares of 64 pixels on 2,048, and what compression adds.
    await viewer.getByText(/^(?:[5-9]|1\d)% differs$/).waitFor()
    // Where one version has a gray of 90 and the other is white, the difference of 165 is as bright as it gets.
    const compared = (await viewer.getByAltText('Version 2').last().boundingBox())!
    const at = (x: number, y: number) => ({ x: compared.x + compared.width * x, y: compared.y + compared.height * y })
    const spot = (x: number, y: number) => page.screenshot({ clip: { ...at(x, y), width: 4, height: 4 } })
    const brightness = async (x: number, y: number) => (await sharp(await spot(x, y)).stats()).channels[0]!.mean
    expect(await brightness(20 / 64, 12 / 32)).toBeGreaterThan(240)
    expect(await brightness(50 / 64, 24 / 32)).toBeLessThan(40)
    await page.keyboard.press('w')
    const boundary = viewer.getByRole('slider', { name: 'Boundary between versions 1 and 2' })
    await boundary.focus()
    await page.keyboard.press('End')
    expect(await boundary.getAttribute('aria-valuenow')).toBe('100')
    await page.keyboard.press('ArrowLeft')
    expect(await boundary.getAttribute('aria-valuenow')).toBe('98')
    // The newer version is to the right of the boundary.
    const layer = viewer.getByAltText('Version 2').last().locator('..')
    expect(await layer.evaluate((element) => element.style.clipPath)).toBe('inset(0px 0px 0px 98%)')
    expect(await axe(page)).toEqual([])
    const zoom = viewer.getByRole('status', { name: 'Zoom' })
    const fitted = await zoom.textContent()
    await page.keyboard.press('+')
    await expect.poll(() => zoom.textContent()).not.toBe(fitted)
    await page.keyboard.press('0')
    await expect.poll(() => zoom.textContent()).toBe(fitted)
    // Side by side, both are zoomed and moved.
    await page.keyboard.press('s')
    for (const key of ['+', '+']) await page.keyboard.press(key)
    await viewer.getByRole('application', { name: 'Picture of version 1' }).focus()
    await page.keyboard.press('ArrowRight')
    const places = () =>
      page.evaluate(() =>
        [1, 2].map((version) => {
          const { left, top, width } = document.querySelector<HTMLElement>(`[data-pane="${version}"] img[alt^="Version"]`)!.style
          return [left, top, width].join()
        }),
      )
    await expect.poll(async () => new Set(await places()).size).toBe(1)
    const before = await places()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(async () => (await places())[1]).not.toBe(before[1])
    expect(new Set(await places()).size).toBe(1)
    expect(tab().complaints).toEqual([])
  })

  test('fills the window, where nothing behind it can be reached, and Escape leaves', async () => {
    const { page } = tab()
    await open(page, 'T_Rock.png')
    await page.getByRole('region', { name: 'Viewer' }).getByAltText('Version 2').first().waitFor()
    await page.keyboard.press('f')
    await page.getByRole('button', { name: 'Exit full screen' }).waitFor()
    expect(await page.getByRole('navigation', { name: 'Main' }).evaluate((element) => element.closest('[inert]') !== null)).toBe(
      true,
    )
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Full screen', exact: true }).waitFor()
    expect(await page.evaluate(() => document.querySelectorAll('[inert]').length)).toBe(0)
  })

  test('takes comments on points, placed by keys, with replies, and resolves them', async () => {
    const { page } = tab()
    await open(page, 'T_Rock.png')
    const viewer = page.getByRole('region', { name: 'Viewer' })
    await viewer.getByAltText('Version 2').first().waitFor()
    await page.keyboard.press('p')
    await viewer.getByText('Select a place in the picture').waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await viewer.getByLabel('New point on version 2').waitFor()
    await page.keyboard.type('The seam shows')
    expect(await axe(page)).toEqual([])
    await viewer.getByRole('button', { name: 'Comment', exact: true }).press('Enter')
    await viewer.getByRole('button', { name: 'Point 1', exact: true }).first().waitFor()
    const [first] = await commentsOf('T_Rock.png')
    expect(first).toMatchObject({ body: 'The seam shows', asset_version: 2, resolved_at: null })
    expect(first!.point!.x).toBeLessThan(0.5)
    expect(first!.point!.y).toBeCloseTo(0.5, 1)
    await viewer.getByRole('button', { name: 'Reply' }).click()
    await viewer.getByLabel('Reply to point 1').fill('Fixed in the next one')
    await viewer.getByRole('button', { name: 'Reply' }).last().click()
    await viewer.getByText('Fixed in the next one').waitFor()
    expect((await commentsOf('T_Rock.png'))[0]!.point).toEqual(first!.point)
    await viewer.getByRole('button', { name: 'Resolve' }).click()
    await viewer.getByText('1 resolved').waitFor()
    await viewer.getByRole('button', { name: 'Point 1, resolved' }).click()
    expect(await axe(page)).toEqual([])
    await viewer.getByRole('button', { name: 'Open again' }).click()
    await viewer.getByRole('button', { name: 'Resolve' }).waitFor()
    expect(tab().complaints).toEqual([])
  })

  test('is swiped and pinched by touch on a phone', async () => {
    const phone = await openTab(browser(), studio().service.site, { hasTouch: true })
    await signInAs(phone, 'lead@example.com', PASSWORD)
    const { page } = phone
    await page.setViewportSize({ width: 390, height: 844 })
    await open(page, 'T_Rock.png')
    const viewer = page.getByRole('region', { name: 'Viewer' })
    await viewer.getByRole('button', { name: 'Swipe' }).tap()
    const boundary = viewer.getByRole('slider')
    await boundary.scrollIntoViewIfNeeded()
    const session = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number; id?: number }[]) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints })
    const { x, y, width, height } = (await boundary.boundingBox())!
    const [middle, line] = [x + width / 2, y + height / 2]
    await touch('touchStart', { x: middle, y: line })
    await touch('touchMove', { x: middle - 80, y: line })
    await touch('touchEnd')
    await expect.poll(async () => Number(await boundary.getAttribute('aria-valuenow'))).toBeLessThan(40)
    const zoom = viewer.getByRole('status', { name: 'Zoom' })
    const before = Number.parseInt((await zoom.textContent())!, 10)
    const fingers = (apart: number) => [-1, 1].map((side, id) => ({ x: middle + side * apart, y: line + 60, id }))
    await touch('touchStart', ...fingers(20))
    await touch('touchMove', ...fingers(60))
    await touch('touchEnd')
    await expect.poll(async () => Number.parseInt((await zoom.textContent())!, 10)).toBeGreaterThan(before * 2)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    expect(await axe(page)).toEqual([])
    expect(phone.complaints).toEqual([])
    await phone.context.close()
  })

  test('shows a video frame by frame', async () => {
    const { page } = tab()
    await open(page, 'T_Rock.png')
    const bytes = await page.evaluate(async () => {
      const canvas = document.createElement('canvas')
      canvas.width = 64
      canvas.height = 64
      const context = canvas.getContext('2d')!
      const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: 'video/webm' })
      const parts: Blob[] = []
      recorder.ondataavailable = ({ data }) => parts.push(data)
      const stopped = new Promise((end) => (recorder.onstop = end))
      recorder.start()
      for (let i = 0; i < 30; i++) {
        context.fillStyle = i % 2 ? 'red' : 'blue'
        context.fillRect(0, 0, 64, 64)
        await new Promise((next) => setTimeout(next, 33))
      }
      recorder.stop()
      await stopped
      return [...new Uint8Array(await new Blob(parts).arrayBuffer())]
    })
    for (const version of [1, 2]) expect((await upload('V_Trailer.webm', version, Buffer.from(bytes))).status).toBeLessThan(300)
    await open(page, 'V_Trailer.webm')
    const code = page.getByRole('status', { name: 'Timecode' })
    await page.waitForFunction(() => document.querySelector('video')!.readyState >= 2)
    await page.keyboard.press('.')
    await expect.poll(() => code.textContent()).toBe('00:00:00:01')
    await page.keyboard.press('.')
    await expect.poll(() => code.textContent()).toBe('00:00:00:02')
    await page.keyboard.press(',')
    await expect.poll(() => code.textContent()).toBe('00:00:00:01')
    expect(await axe(page)).toEqual([])

    // Two versions in step.
    await page.keyboard.press('s')
    const times = () =>
      page.evaluate(() => [...document.querySelectorAll('video')].map(({ currentTime }) => currentTime.toFixed(2)))
    await expect.poll(async () => (await times()).length).toBe(2)
    await page.waitForFunction(() => [...document.querySelectorAll('video')].every(({ readyState }) => readyState >= 2))
    // The one that joins shows the same frame.
    await expect.poll(async () => new Set(await times()).size).toBe(1)
    await page.keyboard.press('.')
    await expect.poll(() => code.textContent()).toBe('00:00:00:02')
    await expect.poll(times).toEqual(['0.08', '0.08'])
    const playing = () => page.evaluate(() => [...document.querySelectorAll('video')].map(({ paused }) => !paused))
    await page.keyboard.press('k')
    await expect.poll(playing).toEqual([true, true])
    await page.keyboard.press('k')
    await expect.poll(playing).toEqual([false, false])
    await expect.poll(async () => new Set(await times()).size).toBe(1)
    await pressTwice('Play')
    await expect.poll(playing).toEqual([false, false])
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('v')
    await expect.poll(async () => (await times()).length).toBe(1)
    expect(tab().complaints).toEqual([])
  })

  test.each(['tone.ogg', 'tone.opus'])('plays the sounds of two versions below their waves: wav and %s', async (name) => {
    const sounds = [wav(), readFileSync(new URL(`../../src/previews/sounds/fixtures/${name}`, import.meta.url))]
    for (const [i, sound] of sounds.entries())
      expect((await upload('A_Wind.wav', i + 1, sound as Buffer<ArrayBuffer>)).status).toBeLessThan(300)
    const { page } = tab()
    await open(page, 'A_Wind.wav')
    for (const version of [1, 2]) await page.getByAltText(`Waveform of version ${version}`).waitFor()
    await page.getByText('of 0:01.5 · version 2').waitFor()
    const position = page.getByRole('slider', { name: 'Position in version 2' })
    await page.getByRole('button', { name: 'Play version 2' }).waitFor()
    await page.keyboard.press('k')
    await expect.poll(async () => Number(await position.inputValue())).toBeGreaterThan(0)
    // One at a time, and a press while it starts is a pause, not a sound that can't be played.
    const areSilent = () => page.evaluate(() => [...document.querySelectorAll('audio')].map(({ paused }) => paused))
    await page.evaluate(() => {
      for (const audio of document.querySelectorAll('audio')) audio.loop = true
      return document.querySelector('audio')!.play()
    })
    await page.getByRole('button', { name: 'Play version 1' }).click()
    await expect.poll(areSilent).toEqual([true, false])
    await page.getByRole('button', { name: 'Pause version 1' }).click()
    await pressTwice('Play version 1')
    await expect.poll(areSilent).toEqual([true, true])
    await page.getByRole('button', { name: 'Play version 1' }).waitFor()
    expect(await axe(page)).toEqual([])
    expect(tab().complaints).toEqual([])
  })

  test('shows what changed in a text, as text', async () => {
    const script = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
    expect((await upload('Items.csv', 1, Buffer.from('name,price\nsword,10\n'))).status).toBeLessThan(300)
    expect((await upload('Items.csv', 2, Buffer.from(`name,price\nsword,12\n${script}\n`))).status).toBeLessThan(300)
    const { page } = tab()
    await open(page, 'Items.csv')
    await page.getByText('Since version 1: 2 lines added, 1 line removed').waitFor()
    await page.getByText(script).waitFor()
    const row = page.locator('tr', { hasText: 'sword,10' })
    for (const [key, shown] of [
      ['s', true],
      ['v', false],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(() => row.textContent().then((text) => text?.includes('sword,12')), { message: key }).toBe(shown)
      expect(await axe(page)).toEqual([])
    }
    expect(await page.title()).not.toBe('1')
    expect(tab().complaints).toEqual([])
  })

  test('says why there is nothing to see', async () => {
    await tab().go(pageOf('T_None.png'))
    await tab().page.getByText('No preview yet').waitFor()
    expect(await axe(tab().page)).toEqual([])
  })

  test('shows a preview as soon as it is ready, without a reload', async () => {
    const { page } = tab()
    await tab().go(pageOf('T_None.png'))
    await page.getByText('No preview yet').waitFor()
    await page.evaluate(() => Object.assign(window, { isSamePage: true }))
    expect((await upload('T_None.png', 2, rock(8))).status).toBeLessThan(300)
    await page.getByRole('region', { name: 'Viewer' }).getByAltText('Version 2').first().waitFor()
    expect(await page.evaluate(() => (window as unknown as { isSamePage?: boolean }).isSamePage)).toBe(true)
  })

  test('executes nothing of a hostile file, in the page or opened by itself', async () => {
    const html = '<!doctype html><html><script>document.title="owned";fetch("/app/api/v1/me")</script></html>'
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>document.title="owned"</script></svg>`
    const files: Buffer[] = [
      Buffer.from(html),
      Buffer.from(svg),
      Buffer.concat([rock(8), Buffer.from(html)]),
      Buffer.concat([Buffer.from('GIF89a/*'), Buffer.from(`*/=1;${html}`)]),
      glb({ images: [{ uri: 'https://example.com/x.png' }] }),
    ]
    // A separate tab: what it complains about is of these files alone.
    const visitor = await openTab(browser(), studio().service.site)
    await signInAs(visitor, 'lead@example.com', PASSWORD)
    const { page } = visitor
    for (const file of files) {
      const { status } = await upload('T_Bad.png', 2, file as Buffer<ArrayBuffer>)
      expect([200, 201, 422]).toContain(status)
      await visitor.go(pageOf('T_Bad.png'))
      await page.getByRole('heading', { name: 'T_Bad.png' }).waitFor()
      for (const size of ['small', 'large', 'original'])
        await page
          .goto(`${studio().service.site}/app/api/v1${pageOf('T_Bad.png')}/versions/2/preview?size=${size}`)
          .catch(() => {})
      expect(await page.title()).not.toBe('owned')
    }
    expect(visitor.foreign).toEqual([])
    // Only a missing size, and the style of the page that the browser itself puts around a picture or text.
    const allowed = /404|^Applying inline style violates/
    expect(visitor.complaints.filter((text) => !allowed.test(text))).toEqual([])
    await visitor.context.close()
  })

  // Last, and in a small window: where 3D is drawn without a graphics card, the page waits for every pixel.
  test('turns a model, with its texture, without any other host or a refusal of the policy', async () => {
    const model = glb({}, rock(4))
    for (const version of [1, 2])
      expect((await upload('SM_Rock.glb', version, model as Buffer<ArrayBuffer>)).status).toBeLessThan(300)
    const { page } = tab()
    await page.setViewportSize({ width: 480, height: 360 })
    await open(page, 'SM_Rock.glb')
    const turned = () =>
      page.evaluate(
        () =>
          (document.querySelector('model-viewer') as unknown as { getCameraOrbit(): { theta: number } }).getCameraOrbit().theta,
      )
    // It loads once it is in sight.
    await page.locator('model-viewer').scrollIntoViewIfNeeded()
    await page.waitForFunction(() => (document.querySelector('model-viewer') as unknown as { loaded?: boolean })?.loaded)
    const before = await turned()
    await page.getByRole('button', { name: 'Turn right' }).press('Enter')
    await expect.poll(turned).not.toBe(before)
    expect(await axe(page)).toEqual([])
    expect(tab().foreign).toEqual([])
    expect(tab().complaints).toEqual([])
  })

  test('turns two versions of a model in step', async () => {
    const { page } = tab()
    // Wide enough for two columns: a model loads once it is in sight.
    await page.setViewportSize({ width: 660, height: 360 })
    await open(page, 'SM_Rock.glb')
    type Model = HTMLElement & { loaded?: boolean; getCameraOrbit(): { theta: number } }
    await page.locator('model-viewer').scrollIntoViewIfNeeded()
    await page.waitForFunction(() => document.querySelector<Model>('model-viewer')?.loaded)
    await page.keyboard.press('s')
    await page.waitForFunction(() => {
      const models = [...document.querySelectorAll<Model>('model-viewer')]
      return models.length === 2 && models.every(({ loaded }) => loaded)
    })
    const orbits = () =>
      page.evaluate(() =>
        [...document.querySelectorAll<Model>('model-viewer')].map((one) => one.getCameraOrbit().theta.toFixed(3)),
      )
    await page.getByRole('button', { name: 'Turn left' }).press('Enter')
    await expect.poll(orbits).toEqual(['-0.262', '-0.262'])
    expect(await axe(page)).toEqual([])
    expect(tab().complaints).toEqual([])
  })
})
