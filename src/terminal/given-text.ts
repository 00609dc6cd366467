import { readFileSync } from 'node:fs'
import { usage } from './failures.ts'

/** A text from the command line; `-` reads standard input. */
export async function textOf(given: string | undefined): Promise<string | undefined> {
  return given === '-' ? (await standardInput()).trimEnd() : given
}

async function standardInput(): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

/** A file's text; `-` reads standard input. */
export async function fileText(path: string): Promise<string> {
  if (path === '-') return standardInput()
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw unreadable(path, error)
  }
}

export function fileBytes(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** A file's JSON; `-` reads standard input. */
export async function fileJson(path: string): Promise<unknown> {
  const text = await fileText(path)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usage(`${path === '-' ? 'Standard input' : path} is not JSON: ${(error as Error).message}`)
  }
}

export const unreadable = (path: string, error: unknown) => usage(`Can't read ${path}: ${reasonOf(error)}`)

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'file not found',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  Z_DATA_ERROR: 'the gzip data is damaged',
  Z_BUF_ERROR: 'the gzip data is incomplete',
}

/** Why a file could not be read, as text. */
export const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return REASONS[code ?? ''] ?? message
}
