/** A path of a depot without wildcards and revisions. Perforce writes these characters as %40 and the like. */
export const isDepotPath = (path: string): boolean => /^\/\/[^@#*\n\r\0]+$/.test(path) && !path.includes('...')
