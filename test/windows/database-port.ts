import { connect, createServer } from 'node:net'
import { freePort } from '../support/servers/free-port.ts'

/** The tests' own PostgreSQL has only a socket, which programs for Windows cannot open: the same database at a port. */
export async function databasePort(url: string) {
  const { pathname, searchParams, username } = new URL(url.replace('@/', '@localhost/'))
  const folder = searchParams.get('host')
  if (folder === null) return { url, close: () => {} }
  const server = createServer((client) => {
    const socket = connect(`${folder}/.s.PGSQL.${searchParams.get('port')}`)
    client.on('error', () => socket.destroy()).pipe(socket)
    socket.on('error', () => client.destroy()).pipe(client)
  })
  const port = await freePort()
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  return { url: `postgresql://${username}@127.0.0.1:${port}${pathname}?sslmode=disable`, close: () => void server.close() }
}
