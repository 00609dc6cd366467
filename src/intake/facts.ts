import type { ToldBranch } from '../domain/branches/lines.ts'
import type * as builds from '../domain/builds/report.ts'
import type * as changes from '../domain/changes/submit.ts'
import type * as deployments from '../domain/deployments/report.ts'
import type * as references from '../domain/tasks/references.ts'

export type { ChangedFile } from '../domain/assets/changed-files.ts'
export type { Repository } from '../domain/branches/lines.ts'
export type { Stream } from '../domain/branches/streams.ts'
export type { Measure } from '../domain/builds/measures.ts'
export type { Artifact, BuildReference, Step } from '../domain/builds/report.ts'

/** A fact is a domain input with its kind and the fields that only the intake uses. */

export type ChangeFact = { kind: 'change' } & changes.Submitted & {
    /** Only the number is known: the details are read from the version control server if one is configured. */
    incomplete?: true
  }

type OrphanFact = { kind: 'orphan' } & changes.Orphaned

/** A branch was created or moved to this change, or deleted at it. */
type BranchFact = { kind: 'branch_created'; head: string } & ToldBranch
type DeletedBranchFact = { kind: 'branch_deleted'; head?: string } & ToldBranch

export type BuildFact = { kind: 'build' } & builds.Report & {
    /** Ask the configured CI server to start this job. */
    start?: true
  } & Warned

export type DeploymentFact = { kind: 'deployment' } & deployments.Report & Warned

/** Parts of a report that were not understood; the reply lists them. */
interface Warned {
  warnings?: string[]
}

export type ReferenceFact = { kind: 'reference' } & references.Report

export type Fact = ChangeFact | OrphanFact | BranchFact | DeletedBranchFact | BuildFact | DeploymentFact | ReferenceFact

export const isChange = (fact: Fact): fact is ChangeFact => fact.kind === 'change'
