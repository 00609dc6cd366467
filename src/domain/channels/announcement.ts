/** A member, as chat may name them: a studio's own channel knows its people. */
export interface Person {
  user_id: number
  name: string
}

/** What a message says, before it is put into the words and limits of a vendor. Texts are plain; whoever sends them escapes them. */
export interface Announcement {
  tone: 'bad' | 'warn' | 'good' | 'neutral'
  /** What happened, in one line: "Compile error on main". */
  title: string
  /** The page of what it is about. */
  url: string
  /** Facts in a line or two each: branch, jobs, since when, who sees to it. */
  facts: { label: string; value: string; person?: Person }[]
  /** The one line of a log that says it best. */
  evidence?: string
  /** Which change is suspected, and why. */
  suspect?: {
    change: string
    url: string
    /** The change without its description: `CL 1204`. */
    identifier?: string
    person?: Person
    /** The author's name in the tool, if they are mapped to no member: named, never pinged. */
    author?: string
    /** Who integrated the change, in the tool's words, where somebody else wrote it: named, never pinged. */
    integrator?: string
    reason: string
  }
  /** What can be done about it, as links to pages. */
  links: { label: string; url: string }[]
  /** Who is to be pinged: only suspects and owners, and each of them once. */
  mentions: Person[]
  /** Everybody who is there is to be pinged, since a rule says so. */
  here: boolean
}
