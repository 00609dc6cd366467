/** A reported address may be anything. */
export const isWebAddress = (address: string) => /^https?:\/\//.test(address)
