/** Perforce streams: a file of a changelist says by its path which one it belongs to. */
export const MAIN = '//cinder/main'
export const RELEASE = '//cinder/release-0.9'
