import type { Confidence, FailureCategory, SuspectReason } from '../contract/sets.ts'

/** One line of the log as it was sent: `line` counts from 1 after splitting on `\n`. */
export interface EvidenceLine {
  line: number
  text: string
}

/** The result of a stage, for people who want to know how the verdict was reached. */
export interface Step {
  name: string
  status: 'done' | 'skipped'
  detail: string
  evidence: number[]
}

/** A file named in or around the evidence. */
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

/** Names in the log near the failure: used for attribution, never part of a reply. */
export interface Clues {
  /** The id of the deciding rule, or `unknown`. */
  rule: string
  tool: string
  /** The first evidence line without prefixes and colors. */
  message: string
  /** Most important first, no duplicates. */
  files: FileMention[]
  /** Identifiers quoted or coded in the evidence: `FooBar`, `my_function`, `C2065`. */
  symbols: string[]
  /** Names of failing tests, as the runner prints them. */
  tests: string[]
}

/** The correction that was applied, and what is needed to recognize the same failure in other builds. */
export interface Applied {
  id: number
  own: boolean
  template: string | null
  /** The fingerprint before the correction. */
  fingerprint: string
}

/** Why a build failed, according to its log. The first evidence line is the cause. */
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
  /** Those of them that the cause had under another name: of several breakages, the one with these has the older failures. */
  former_keys?: string[]
  clues: Clues
  steps: Step[]
  /** The person's correction that this finding follows, if there is one. */
  correction?: Applied
  /** The suspects; only if candidates were given. */
  attribution?: Attribution
}

export interface ChangedFile {
  path: string
  action: string
}

/** A change that may have broken the build: any since the last passed build of the same job and branch. */
export interface Candidate {
  id: string
  /** The author, in the caller's notation; never printed by the engine. */
  author: string
  timestamp: string
  subject: string
  files: ChangedFile[]
}

interface Suspect {
  change_id: string
  author: string
  score: number
  /** Sentences for people, and beside each its code to compare. */
  reasons: string[]
  reason_codes: SuspectReason[]
}

export interface Attribution {
  suspects: Suspect[]
  /** Set only if the evidence is clear and a change can cause the category. */
  attributed_author: string | null
}
