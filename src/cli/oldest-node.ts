/** The `engines` of package.json say the same. */
const OLDEST = { major: 20, minor: 19 }

/** Says that this Node is too old, if it is. Asked before anything is loaded that an older one cannot run. */
export function refusesNode(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isOld = major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)
  if (isOld) {
    console.error(
      `goldmaster: This is Node ${process.versions.node}; Goldmaster needs Node ${OLDEST.major}.${OLDEST.minor} or newer.`,
    )
    process.exitCode = 1
  }
  return isOld
}
