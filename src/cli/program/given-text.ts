import { readFileSync } from 'node:fs'
import { usage } from '../connection/failures.ts'

/** A text given on the command line; `-` stands for standard input. */
export async function textOf(given: string | undefined): Promise<string | undefined> {
  return given === '-' ? (await standardInput()).trimEnd() : given
}

async function standardInput(): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

/** A file's text; `-` stands for standard input. */
export async function fileText(path: string): Promise<string> {
  if (path === '-') return standardInput()
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw usage(
      `Cannot read ${path}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : (error as Error).message}`,
    )
  }
}
