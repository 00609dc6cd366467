/** The key of a file in its store, by content: the same file of an account is stored once. */
export const fileKey = (accountId: number, sha256: Buffer) => `${accountId}/${sha256.toString('hex')}`
