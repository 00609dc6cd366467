import fc from 'fast-check'
import { expect, test } from 'vitest'
import { actualSize, cornerOf, FIT, fitted, panned, pointAt, ZOOM_MAX, zoomed } from './zoom.ts'

const window = { width: 400, height: 300 }
const fit = fitted({ width: 1024, height: 512 }, window)

test('a picture fits into the window, whatever its size', () => {
  expect(fit).toEqual({ width: 400, height: 200 })
  expect(fitted({ width: 100, height: 200 }, window)).toEqual({ width: 150, height: 300 })
  expect(actualSize({ width: 1024, height: 512 }, window)).toBeCloseTo(2.56)
  expect(cornerOf(FIT, fit, window)).toEqual({ x: 0, y: 50 })
})

test('zooming keeps the point under the pointer', () => {
  const at = { x: 250, y: 160 }
  const before = pointAt(at, FIT, fit, window)!
  const view = zoomed(FIT, 4, at, fit, window)
  const after = pointAt(at, view, fit, window)!
  expect(view.zoom).toBe(4)
  expect(after.x).toBeCloseTo(before.x)
  expect(after.y).toBeCloseTo(before.y)
})

test('a picture can be moved neither out of the window nor smaller than it', () => {
  const view = zoomed(FIT, 4, { x: 200, y: 150 }, fit, window)
  const corner = cornerOf(panned(view, { x: 10_000, y: -10_000 }, fit, window), fit, window)
  expect(corner.x).toBeCloseTo(0)
  expect(corner.y).toBeCloseTo(300 - 800)
  expect(panned(FIT, { x: 50, y: 50 }, fit, window)).toEqual(FIT)
  expect(zoomed(FIT, 0.1, { x: 0, y: 0 }, fit, window).zoom).toBe(1)
  expect(zoomed(FIT, 1e9, { x: 0, y: 0 }, fit, window).zoom).toBe(ZOOM_MAX)
})

test('moving by pixels moves the picture by exactly those', () => {
  const view = zoomed(FIT, 4, { x: 200, y: 150 }, fit, window)
  const [before, after] = [view, panned(view, { x: 30, y: -20 }, fit, window)].map((one) => cornerOf(one, fit, window))
  expect(after!.x - before!.x).toBeCloseTo(30)
  expect(after!.y - before!.y).toBeCloseTo(-20)
})

test('beside the picture is no point', () => {
  expect(pointAt({ x: 200, y: 20 }, FIT, fit, window)).toBe(undefined)
  expect(pointAt({ x: 0, y: 50 }, FIT, fit, window)).toEqual({ x: 0, y: 0 })
})

test('whatever is pressed, a picture stays in view', () => {
  const side = fc.integer({ min: 1, max: 5000 })
  const size = fc.record({ width: side, height: side })
  const steps = fc.array(
    fc.record({
      x: fc.integer({ min: -900, max: 900 }),
      y: fc.integer({ min: -900, max: 900 }),
      factor: fc.constantFrom(0.5, 1, 3),
    }),
  )
  fc.assert(
    fc.property(size, size, steps, (picture, window, steps) => {
      const fit = fitted(picture, window)
      let view = FIT
      for (const { factor, ...by } of steps) view = panned(zoomed(view, factor, by, fit, window), by, fit, window)
      const corner = cornerOf(view, fit, window)
      expect(corner.x).toBeLessThanOrEqual(window.width)
      expect(corner.y).toBeLessThanOrEqual(window.height)
      expect(corner.x + fit.width * view.zoom).toBeGreaterThanOrEqual(0)
      expect(corner.y + fit.height * view.zoom).toBeGreaterThanOrEqual(0)
    }),
  )
})
