import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const COMPLAINT_MAX = 2_000

/** Runs a tool without a shell and yields the JSON objects it prints, one per line; other lines are skipped. */
export async function* jsonLines(tool: string, args: string[], signal: AbortSignal): AsyncGenerator<Record<string, unknown>> {
  const child = spawn(tool, args, { stdio: ['ignore', 'pipe', 'pipe'], signal, windowsHide: true })
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-COMPLAINT_MAX)
  })
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  // A consumer that stops early does not need the result.
  ended.catch(() => {})
  try {
    for await (const line of createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })) {
      const value = parsed(line)
      if (value) yield value
    }
    const code = await ended
    if (code !== 0) throw new Error(`${tool} ${args.join(' ')} exited with ${code}: ${complaint.trim()}`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error(`${tool} not found. Install it, add it to PATH, or pass --tool PATH`)
    throw error
  } finally {
    child.kill('SIGKILL')
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
