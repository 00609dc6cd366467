/**
 * The browser's language in Intl's format. Some systems report names such as `en-US@posix`, at which every format throws; the part before
 * the modifier is the language.
 */
export const browserLanguage: string = usable(
  typeof navigator === 'undefined' ? [] : [navigator.language, ...navigator.languages],
)

function usable(reported: readonly string[]): string {
  const names = reported.map((name) => name.replace(/[.@].*$/, '').replaceAll('_', '-'))
  return names.find(isKnown) ?? 'en'
}

function isKnown(name: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(name).length > 0
  } catch {
    return false
  }
}

// uPlot creates a format with it while it loads.
if (typeof navigator !== 'undefined' && navigator.language !== browserLanguage)
  Object.defineProperty(navigator, 'language', { value: browserLanguage, configurable: true })
