/** All weights of attribution. Nothing here depends on the age of a change or its position in the list. */
export const WEIGHTS = {
  /** The weights of the three kinds of evidence. */
  path: 0.7,
  words: 0.3,
  risk: 0.15,
  /** Added if the change contains the typical kind of file: a manifest for dependencies, a script for the build. */
  cause: 0.15,

  /** The weight of a name by its position in the log. */
  evidence: 1,
  near: 0.1,
  elsewhere: 0.1,
  /** The same for words; far from the evidence only compounds count. */
  wordEvidence: 1,
  wordNear: 0.6,
  compoundElsewhere: 0.15,
  /** Names of failing tests and identifiers in the message. */
  quoted: 1.5,
  /** A plain word compared with a compound such as `registerHero`. */
  plainWord: 0.5,

  /** How well a changed file matches a name of the log. */
  samePath: 1,
  shorterPath: 0.6,
  sameBase: 0.5,
  sameBaseElsewhere: 0.3,
  className: 0.7,
  bareClassName: 0.5,
  sameStem: 0.4,
  sameFolder: 0.05,
  namedFolder: 0.2,
  /** A deleted file that is reported missing matches that much better. */
  gone: 1.5,

  /** Names of the evidence count less the later they occur, down to this. */
  lastOfEvidence: 0.7,
  /** How fast a change loses weight with the number of its files. */
  sweeping: 8,

  /** The factor for a change that is about documentation. */
  documentation: 0.5,
  /** Below this a change contains nothing that could cause the failure. */
  ableToCause: 0.25,
  /** A compound that hardly any other change has: as good as a file name. */
  rareWord: 0.6,
  /** The required factor between the first author's change and the next author's. */
  leadOnProof: 1.2,
  leadOnOnlyProof: 1.05,
  leadOnHint: 2,
}
