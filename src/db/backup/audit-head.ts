import { ArchiveReader } from './archive.ts'

/** The newest entry of an account's audit log in a backup. */
export async function auditHead(
  source: AsyncIterable<Buffer>,
  accountId: number,
): Promise<{ position: number; hash: string } | undefined> {
  const reader = new ArchiveReader(source)
  try {
    await reader.header()
    let found: { position: number; hash: string } | undefined
    await reader.tables(async ({ table, columns }, rows) => {
      const kept: Buffer[] = []
      for await (const piece of rows) if (table === 'public.audit_heads') kept.push(Buffer.from(piece))
      const lines = Buffer.concat(kept).toString().split('\n')
      const row = lines
        .map((line) => line.split('\t'))
        .find((fields) => fields[columns.indexOf('account_id')] === String(accountId))
      // COPY writes bytes as \\x and hexadecimal digits.
      if (row)
        found = { position: Number(row[columns.indexOf('position')]), hash: row[columns.indexOf('hash')]!.replace(/^\\+x/, '') }
      return undefined
    })
    return found
  } finally {
    await reader.close()
  }
}
