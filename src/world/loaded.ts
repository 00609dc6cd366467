interface Numbered {
  id: number
}
interface Unique {
  id: string
}
/** The result of a load, by the keys of the file: ids, and the secrets that are shown only once. */
export interface Loaded {
  accounts: Record<string, Numbered>
  users: Record<string, Numbered>
  projects: Record<string, Numbered>
  tokens: Record<string, Numbered & { token: string }>
  integrations: Record<string, Numbered & { webhook_token: string }>
  changes: Record<string, Numbered>
  build_runs: Record<string, Numbered>
  test_results: Record<string, Numbered>
  assets: Record<string, Unique>
  approvals: Record<string, Unique>
  deployments: Record<string, Unique>
  breakages: Record<string, Numbered>
  corrections: Record<string, Numbered>
  tasks: Record<string, Numbered>
  comments: Record<string, Numbered>
}
