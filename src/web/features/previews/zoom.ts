/** What of a picture is seen: how much larger than the window it is drawn (1 fits), and the point in the middle, as shares of its sides. */
export interface View {
  zoom: number
  x: number
  y: number
}
export interface Size {
  width: number
  height: number
}

export const FIT: View = { zoom: 1, x: 0.5, y: 0.5 }
export const ZOOM_MAX = 64
/** One press of a key or button. */
export const ZOOM_STEP = 1.25
/** One press of an arrow, as a share of the window. */
export const PAN_STEP = 0.1

/** The size of a picture that just fits into the window; small ones are enlarged too, so that versions of different sizes cover each other. */
export function fitted(picture: Size, window: Size): Size {
  const scale = Math.min(window.width / picture.width, window.height / picture.height)
  return { width: picture.width * scale, height: picture.height * scale }
}

/** The zoom that draws one pixel of the picture as one pixel of the page. */
export const actualSize = (picture: Size, window: Size): number => picture.width / fitted(picture, window).width

const between = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

/** A picture larger than the window covers it, a smaller one is in its middle. */
function bounded({ zoom, x, y }: View, fit: Size, window: Size): View {
  const around = (center: number, side: number, visible: number) => {
    const half = visible / (2 * side)
    return half >= 0.5 ? 0.5 : between(center, half, 1 - half)
  }
  return { zoom, x: around(x, fit.width * zoom, window.width), y: around(y, fit.height * zoom, window.height) }
}

/** Moves the picture by pixels of the page. */
export const panned = (view: View, by: { x: number; y: number }, fit: Size, window: Size): View =>
  bounded({ ...view, x: view.x - by.x / (fit.width * view.zoom), y: view.y - by.y / (fit.height * view.zoom) }, fit, window)

/** Zooms by a factor around a point of the window, which keeps showing the same point of the picture. */
export function zoomed(view: View, factor: number, at: { x: number; y: number }, fit: Size, window: Size): View {
  const zoom = between(view.zoom * factor, Math.min(1, view.zoom), ZOOM_MAX)
  const keep = (center: number, place: number, visible: number, side: number) =>
    center + (place - visible / 2) / (side * view.zoom) - (place - visible / 2) / (side * zoom)
  return bounded(
    { zoom, x: keep(view.x, at.x, window.width, fit.width), y: keep(view.y, at.y, window.height, fit.height) },
    fit,
    window,
  )
}

/** Where the picture's top left corner is in the window. */
export const cornerOf = (view: View, fit: Size, window: Size) => ({
  x: window.width / 2 - view.x * fit.width * view.zoom,
  y: window.height / 2 - view.y * fit.height * view.zoom,
})

/** The point of the picture at a point of the window, as shares; undefined beside the picture. */
export function pointAt(at: { x: number; y: number }, view: View, fit: Size, window: Size) {
  const corner = cornerOf(view, fit, window)
  const point = { x: (at.x - corner.x) / (fit.width * view.zoom), y: (at.y - corner.y) / (fit.height * view.zoom) }
  return [point.x, point.y].every((share) => share >= 0 && share <= 1) ? point : undefined
}
