import type { Page } from 'playwright-core'

/** Makes every text of the page a third longer, as a translation would, and tells which texts no longer fit. */
const LENGTHEN = `
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    if (node.parentElement.closest('script, style, pre, code, svg, [role="log"]')) continue
    const text = node.data.trim()
    if (text) node.data = node.data.trimEnd() + text.slice(0, Math.ceil(text.length / 3)) + (node.data.endsWith(' ') ? ' ' : '')
  }
`

const CUT = `
  (() => {
    const found = []
    const root = document.documentElement
    if (root.scrollWidth > root.clientWidth) found.push('the page scrolls sideways: ' + root.scrollWidth + ' > ' + root.clientWidth)
    for (const element of document.querySelectorAll('body *')) {
      const style = getComputedStyle(element)
      if (!element.checkVisibility() || element.closest('pre, code, svg, .sr-only, [role="log"]')) continue
      if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue
      const { left, right, width } = element.getBoundingClientRect()
      if (width < 2) continue
      const scrolls = element.closest('[class*="overflow-x-auto"], [class*="overflow-auto"]')
      if (!scrolls && !element.closest('[title]') && (right > innerWidth + 1 || left < -1)) found.push('outside the window: ' + element.textContent.slice(0, 60))
      const isCut = style.overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1
      if (isCut && !element.closest('[title]')) found.push('cut without a title: ' + element.textContent.slice(0, 60))
      const spills = style.overflowX === 'visible' && element.scrollWidth > element.clientWidth + 1 && style.display !== 'inline'
      if (spills) found.push('wider than its box: ' + element.textContent.slice(0, 60))
    }
    return [...new Set(found)]
  })()
`

export const lengthen = (page: Page) => page.evaluate(LENGTHEN)
export const cutTexts = (page: Page): Promise<string[]> => page.evaluate(CUT)
