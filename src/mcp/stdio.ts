import { PassThrough } from 'node:stream'
import { StdioServerTransport, serveStdio as serve } from '@modelcontextprotocol/server/stdio'
import { type Assistance, createServer } from './server.ts'

/** Serves one assistant over standard input and output until it hangs up; what it asked before is still answered. */
export async function serveStdio(assistance: Omit<Assistance, 'stopped'>): Promise<void> {
  let ended = false
  const hungUp = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
  })
  serve(() => createServer({ ...assistance, stopped: () => ended }), { transport: openTransport() })
  await hungUp
  ended = true
}

/** The SDK's transport drops what it was asked when its input ends, so it is given one that never does. */
function openTransport(): StdioServerTransport {
  const transport = new StdioServerTransport(process.stdin.pipe(new PassThrough(), { end: false }))
  const close = transport.close.bind(transport)
  // A message that is too large ends the connection: nothing more is read, and the command ends.
  transport.close = async () => {
    await close()
    process.stdin.destroy()
  }
  return transport
}
