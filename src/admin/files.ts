import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'

/** A file, or standard input for `-`. */
export async function readText(file: string): Promise<string> {
  if (file === '-') return text(process.stdin)
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Error(`Cannot read ${file} (${(error as NodeJS.ErrnoException).code}).`)
  }
}

export async function readJson(file: string): Promise<unknown> {
  const given = await readText(file)
  try {
    return JSON.parse(given)
  } catch (error) {
    throw new Error(`${file === '-' ? 'Standard input' : file} is not JSON: ${(error as Error).message}`)
  }
}
