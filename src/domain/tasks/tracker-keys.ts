/** The text and metadata of a task. */
export interface Words {
  title: string
  description: string
  metadata: Record<string, unknown>
}

/** Spellings of the key of a tracker item. A match cannot start in the middle of a word, so that no text is scanned twice. */
const WAYS: [written: RegExp, keyOf: (match: RegExpMatchArray) => string][] = [
  // A project and a number, also in a URL or a branch: `GAME-12`, `fix/game-12-moon`.
  [/(?<![A-Za-z0-9_])([A-Za-z][A-Za-z0-9_]{0,99}-\d{1,18})(?![A-Za-z0-9_])/g, ([, key]) => key!.toUpperCase()],
  // A repository and a number: `owner/repo#7`, `group/subgroup/repo!7`, or the URL of an issue or a pull request on any server.
  [/(?<![\w./-])([\w.-]{1,100}(?:\/[\w.-]{1,100}){1,20}[#!]\d{1,18})(?!\w)/g, ([, key]) => key!],
  [
    /:\/\/[^\s/]{1,255}\/([\w.-]{1,100}(?:\/[\w.-]{1,100}){1,20})\/(issues|work_items|pulls?|merge_requests|pull-requests)\/(\d{1,18})(?!\w)/g,
    ([, path, kind, n]) => `${repositoryIn(path!)}${kind === 'merge_requests' || kind === 'pull-requests' ? '!' : '#'}${n}`,
  ],
  // A work item of Azure Boards, and a pull request of Azure Repos: `AB#13`, `…/_workitems/edit/13`, `…/project/_git/repo/pullrequest/7`.
  [/(?<![\w#])AB#(\d{1,18})(?!\w)/gi, ([, n]) => `AB#${n}`],
  [/\/_workitems\/edit\/(\d{1,18})(?!\w)/g, ([, n]) => `AB#${n}`],
  [
    /\/([\w.-]{1,100})\/_git\/([\w.-]{1,100})\/pullrequest\/(\d{1,18})(?!\w)/g,
    ([, project, name, n]) => `${project}/${name}!${n}`,
  ],
  // A card by its URL, on any server: `cards.example/c/a1B2c3D4`.
  [/(?<![\w.-])[\w-]{1,100}(?:\.[\w-]{1,100}){1,8}\/c\/([A-Za-z0-9]{1,32})(?![A-Za-z0-9])/g, ([, key]) => key!],
  // A task by its URL or with the mark of its tracker: `app.tasks.example/t/86abc12xy`, `CU-86abc12xy`; with a key of its own: `…/t/9000/GAME-12`.
  [/(?<![\w.-])[\w-]{1,100}(?:\.[\w-]{1,100}){1,8}\/t\/([a-z0-9]{4,32})(?![\w/-])/gi, ([, key]) => key!.toLowerCase()],
  [/(?<!\w)CU-([a-z0-9]{4,32})(?!\w)/gi, ([, key]) => key!.toLowerCase()],
  // A story by its URL: `…/story/11`.
  [/:\/\/[^\s/]{1,255}\/[\w.-]{1,100}\/story\/(\d{1,18})(?!\w)/g, ([, n]) => `SC-${n}`],
  // An item by a long number alone.
  [/(?<!\w)(\d{6,40})(?!\w)/g, ([, key]) => key!],
]

/** `owner/repo/-`, and `scm/projects/KEY/repos/name` or `users/kim/repos/name` on servers that name the project separately. */
function repositoryIn(path: string): string {
  const [, kind, owner, name] = /(?:^|\/)(projects|users)\/([^/]+)\/repos\/([^/]+)$/.exec(path) ?? []
  return kind === undefined ? path.replace(/\/-$/, '') : `${kind === 'users' ? '~' : ''}${owner}/${name}`
}

const WORD_MAX = 200
const KEYS_MAX = 1000

/** Everything in a task that may be a tracker key. A short metadata value always counts, whatever it looks like. */
export function keysNamed({ title, description, metadata }: Words): string[] {
  const noted = leaves(metadata)
  const text = [title, description, ...noted].join('\n')
  const said = WAYS.flatMap(([written, keyOf]) => [...text.matchAll(written)].map(keyOf))
  return [...new Set([...noted.filter((word) => word.length <= WORD_MAX), ...said])].slice(0, KEYS_MAX)
}

const leaves = (value: unknown): string[] => {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : []
}
