import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { type Assistance, createServer } from './server.ts'

/** Serves one assistant over standard input and output until it hangs up; what it asked before is still answered. */
export async function serveStdio(assistance: Omit<Assistance, 'stopped'>): Promise<void> {
  let ended = false
  const server = createServer({ ...assistance, stopped: () => ended })
  const hungUp = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
  })
  await server.connect(new StdioServerTransport())
  await hungUp
  ended = true
}
