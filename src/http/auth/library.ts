/** The path of the library's endpoints. */
export const AUTH_PATH = '/app/auth'
/** Passes the caller's address to the library, which would otherwise trust any client's header. */
export const ADDRESS_HEADER = 'x-goldmaster-address'
