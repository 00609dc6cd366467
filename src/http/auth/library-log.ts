import type { Logger } from 'pino'

/** What the library logs as an error although the request is wrong: anybody could fill the log with it. */
const CLIENTS_FAULT = /^Invalid (?:origin|callbackURL|redirectURL|errorCallbackURL|newUserCallbackURL): /

/** Only errors of the service are errors in our log. */
export const logOfLibrary = (log: Logger) => (level: string, message: string) =>
  log[level === 'error' && !CLIENTS_FAULT.test(message) ? 'error' : 'debug']({ message }, 'sign-in')
