// Each is bounded and starts at the beginning of the line, so no line takes longer than its length.
const PREFIXES = [
  /^\u001b\[[0-9;]{0,16}m/,
  // A CI's time stamp.
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z? /,
  /^\[\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z?\] /,
  // The engine's time and frame.
  /^\[\d{4}\.\d{2}\.\d{2}-\d{2}\.\d{2}\.\d{2}:\d{3}\]\[ {0,4}\d{1,6}\]/,
  /^ProcessResult\.StdOut: /,
  /^\s{1,8}/,
]

/** The editor's packaging: the platform is part of the prefix. */
const PACKAGING = /^UATHelper: Packaging \((?<platform>[^()]{1,40}(?:\([^()]{1,40}\))?)\): /

interface Bare {
  line: string
  platform: string | null
}

/** A line without the prefixes of a CI and of Unreal's tools. */
export function cutPrefixes(full: string): Bare {
  let line = full
  let platform: string | null = null
  for (let rounds = 0; rounds < 8; rounds++) {
    const packaging = PACKAGING.exec(line)
    const prefix = packaging ?? PREFIXES.map((one) => one.exec(line)).find((found) => found !== null)
    if (!prefix) break
    if (packaging) platform = packaging.groups!.platform!.trim()
    line = line.slice(prefix[0].length)
  }
  return { line, platform }
}
