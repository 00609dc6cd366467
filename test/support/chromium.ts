import { existsSync } from 'node:fs'

const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser of this machine, if it has one; tests in a browser are left out where there is none. */
export const CHROMIUM = PLACES.find((path) => path !== undefined && existsSync(path))
