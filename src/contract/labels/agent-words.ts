interface Compared {
  builds: number
  failures: number
  expected_rate: number
}

const percent = (share: number) => `${Math.round(share * 100)} %`

/** Why an agent is suspected: `BUILD-07 failed 24 of 52 builds (46 %). The same jobs fail in 11 % on other agents.` */
export const suspicionWords = (agent: string, { builds, failures, expected_rate }: Compared): string =>
  `${agent} failed ${failures} of ${builds} builds (${percent(failures / builds)}). The same jobs fail in ${percent(expected_rate)} on other agents.`
