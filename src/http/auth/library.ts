/** Where the library that keeps sessions is asked. */
export const AUTH_PATH = '/app/auth'
/** Carries the caller's address as we know it to the library, which would otherwise believe anybody's header. */
export const ADDRESS_HEADER = 'x-goldmaster-address'
