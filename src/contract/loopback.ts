const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether an address leads only to the machine that asks for it. */
export const isLoopback = (url: string): boolean => LOOPBACK.test(new URL(url).hostname)
