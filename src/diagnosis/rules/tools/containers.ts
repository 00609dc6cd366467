import type { Rule } from '../../rule.ts'

/** Docker and BuildKit: errors in the description of an image; the output of its commands is read by other rules. */
export const containers: readonly Rule[] = [
  {
    id: 'docker.file',
    tool: 'Docker',
    category: 'build_script_error',
    role: 'root',
    need: [
      'dockerfile parse error',
      'Dockerfile parse error',
      'unknown instruction',
      'failed to read dockerfile',
      'unknown flag: ',
    ],
    match:
      /(?<msg>[Dd]ockerfile parse error (?:on )?line (?<line>\d+): .*|failed to read dockerfile: .*|unknown instruction: .*)/,
    score: 84,
    fix: 'Fix the Dockerfile where the message points.',
    examples: [{ log: 'ERROR: failed to solve: dockerfile parse error on line 12: unknown instruction: RUNN', line: 1 }],
  },
  {
    id: 'docker.context',
    tool: 'Docker',
    category: 'build_script_error',
    role: 'root',
    need: ['failed to calculate checksum', 'COPY failed: ', 'ADD failed: ', 'failed to compute cache key'],
    match:
      /(?<msg>(?:COPY|ADD) failed: .*|failed to (?:calculate checksum of ref|compute cache key).{0,160}(?<file>"\/[^"]{1,300}"): not found.*)/,
    score: 84,
    fix: 'The file is not in what is sent to Docker: check its path from the build context and .dockerignore.',
    examples: [
      {
        log: 'ERROR: failed to solve: failed to compute cache key: failed to calculate checksum of ref moby::x: "/hero.json": not found',
        line: 1,
      },
      {
        log: 'COPY failed: file not found in build context or excluded by .dockerignore: stat hero.json: file does not exist',
        line: 1,
      },
    ],
  },
  {
    id: 'docker.platform',
    tool: 'Docker',
    category: 'infra_agent',
    role: 'root',
    need: ['exec format error', 'no match for platform', 'no matching manifest for'],
    match: /(?<msg>exec format error|no match for platform in manifest.*|no matching manifest for \S+ in the manifest list.*)/,
    score: 80,
    fix: 'The image is made for another processor: build on a machine of its kind, or name the platform (--platform).',
    examples: [{ log: 'no matching manifest for linux/arm64/v8 in the manifest list entries', line: 1 }],
  },
]
