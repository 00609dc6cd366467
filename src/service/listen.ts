import type { FastifyInstance } from 'fastify'

/** System errors as one line that names the setting to change. */
export async function listen(app: FastifyInstance, { host, port }: { host: string; port: number }) {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw new Error(`Port ${port} on ${host} is taken: stop what runs there or set PORT.`)
    if (code === 'EACCES') throw new Error(`Port ${port} may not be used by this user: set PORT to one above 1023.`)
    if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL')
      throw new Error(`HOST ${host} is no address of this machine: set it to 127.0.0.1, or to 0.0.0.0 to be reached by others.`)
    throw error
  }
}
