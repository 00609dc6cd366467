/** A member, as chat messages may name them: a studio's own channel knows its people. */
export interface Person {
  user_id: number
  name: string
}

/** The content of a message, before a vendor's formatting and limits. Plain text; the sender escapes it. */
export interface Announcement {
  tone: 'bad' | 'warn' | 'good' | 'neutral'
  /** What happened, in one line: "Compile error on main". */
  title: string
  /** The page of its subject. */
  url: string
  /** Facts in a line or two each: branch, jobs, since when, owner. */
  facts: { label: string; value: string; person?: Person }[]
  /** The log line that shows the error best. */
  evidence?: string
  /** The suspected change, and why. */
  suspect?: {
    change: string
    url: string
    /** The change without its description: `CL 1204`. */
    identifier?: string
    person?: Person
    /** The author's name in the tool if it matches no member: named, never mentioned. */
    author?: string
    /** Who integrated the change, by the name in the tool, if somebody else wrote it: named, never mentioned. */
    integrator?: string
    reason: string
  }
  /** Why the service assigned it to its owner: "their change CL 1204 is the first suspect". */
  because?: string
  /** Actions, as links to pages. */
  links: { label: string; url: string }[]
  /** The people to mention: only suspects and owners, each once. */
  mentions: Person[]
  /** Mentions everybody present because a rule says so. */
  here: boolean
}
