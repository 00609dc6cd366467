/** The same as `engines` in package.json. */
const OLDEST = { major: 20, minor: 19 }

/** Prints that this Node is too old, if it is. Called before loading anything that an older one cannot run. */
export function refusesNode(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isOld = major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)
  if (isOld) {
    console.error(`goldmaster: Node ${process.versions.node} is too old. Install Node ${OLDEST.major}.${OLDEST.minor} or newer.`)
    process.exitCode = 1
  }
  return isOld
}
