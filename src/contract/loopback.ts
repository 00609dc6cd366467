const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether a URL refers to the machine itself. */
export const isLoopback = (url: string): boolean => LOOPBACK.test(new URL(url).hostname)
