/** Every number attribution is judged by. Nothing here knows the age of a change or its place in the list. */
export const WEIGHTS = {
  /** What the three kinds of evidence count for. */
  path: 0.7,
  words: 0.3,
  risk: 0.15,
  /** Added when the change holds the very kind of file such a failure comes from: a manifest for dependencies, a script for the build. */
  cause: 0.15,

  /** How much a name counts by where it stands in the log. */
  evidence: 1,
  near: 0.1,
  elsewhere: 0.1,
  /** The same for words; far from the evidence only compounds count. */
  wordEvidence: 1,
  wordNear: 0.6,
  compoundElsewhere: 0.15,
  /** Names of failing tests and identifiers the message is about. */
  quoted: 1.5,
  /** A plain word against a compound such as `registerHero`. */
  plainWord: 0.5,

  /** How well a changed file fits a name of the log. */
  samePath: 1,
  shorterPath: 0.6,
  sameBase: 0.5,
  sameBaseElsewhere: 0.3,
  className: 0.7,
  bareClassName: 0.5,
  sameStem: 0.4,
  sameFolder: 0.05,
  namedFolder: 0.2,
  /** A file that is gone and reported missing fits that much better. */
  gone: 1.5,

  /** Names of the evidence count less the later they come, down to this. */
  lastOfEvidence: 0.7,
  /** How fast a change loses weight with the number of its files. */
  sweeping: 8,

  /** What is left of a change that says it is about documentation. */
  documentation: 0.5,
  /** Below this a change holds nothing that could cause the failure. */
  ableToCause: 0.25,
  /** A compound that hardly anything else has: as good as a file name. */
  rareWord: 0.6,
  /** How many times as suspect as the next author's the first author's change must be. */
  leadOnProof: 1.2,
  leadOnHint: 2,
}
