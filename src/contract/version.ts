/** Goldmaster's own version, as in package.json (a test compares them). */
export const VERSION = '0.1.0'

/** Tells a build machine the version of the service, with every accepted report. */
export const VERSION_HEADER = 'goldmaster-version'
