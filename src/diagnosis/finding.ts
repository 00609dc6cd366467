import type { Confidence, FailureCategory } from '../contract/sets.ts'

/** One line of the log as it was sent: `line` counts from 1 after splitting on `\n`. */
export interface EvidenceLine {
  line: number
  text: string
}

/** What a stage did, for people who want to know how the verdict came about. */
export interface Step {
  name: string
  status: 'done' | 'skipped'
  detail: string
  evidence: number[]
}

/** A file the log names in or around the evidence. */
export interface FileMention {
  /** As printed, without quotes; may be absolute, a Windows path, a package path or a bare name. */
  path: string
  line: number | null
  /**
   * `primary`: the file the error is about; `evidence`: named on another evidence line; `frame`: a stack frame;
   * `include`: a file on the way there (include chain, import trace); `nearby`: named within a few lines of the evidence.
   */
  role: 'primary' | 'evidence' | 'frame' | 'include' | 'nearby'
  /** 0 is the first of its role: for frames the innermost one. */
  depth: number
}

/** What the log names near the failure: read by attribution, never part of a reply. */
export interface Clues {
  /** Id of the rule that decided, or `unknown`. */
  rule: string
  tool: string
  /** The first evidence line after prefixes and colours were removed. */
  message: string
  /** Most important first, no duplicates. */
  files: FileMention[]
  /** Identifiers quoted or coded in the evidence: `FooBar`, `my_function`, `C2065`. */
  symbols: string[]
  /** Names of failing tests, as the runner prints them. */
  tests: string[]
}

/** What a log says about why the build failed. The first evidence line is the one that says why. */
export interface Finding {
  category: FailureCategory
  confidence: Confidence
  diagnosis: string
  suggested_fix: string
  evidence: EvidenceLine[]
  file_path: string | null
  line: number | null
  /** The same failure has the same fingerprint: file and line, or symbol, else category, rule, masked message and file. */
  fingerprint: string
  /** Keys that identify a compile or link error, however another compiler words it. */
  cause_keys: string[]
  /** A known failure with one of these among its `cause_keys` is the same. */
  joins_keys: string[]
  clues: Clues
  steps: Step[]
  /** Who may have done it; there only when candidates were given. */
  attribution?: Attribution
}

export interface ChangedFile {
  path: string
  action: string
}

/** A change that may have broken the build: anything since the last passed build of the same job and branch. */
export interface Candidate {
  id: string
  /** Whoever made it, as the caller tells people apart; never printed by the engine. */
  author: string
  timestamp: string
  subject: string
  files: ChangedFile[]
}

export interface Suspect {
  change_id: string
  author: string
  score: number
  reasons: string[]
}

export interface Attribution {
  suspects: Suspect[]
  /** Named only when the evidence is clear and the category can be anybody's fault. */
  attributed_author: string | null
}
