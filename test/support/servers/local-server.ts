import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server on this machine that a test plays. */
export interface LocalServer {
  /** Without a slash at its end. */
  url: string
  server: Server
  /** Ends open connections too. */
  close(): Promise<void>
}

export async function openLocalServer(answer: RequestListener, { port = 0, host = '127.0.0.1' } = {}): Promise<LocalServer> {
  const server = createServer(answer)
  await once(server.listen(port, host), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
