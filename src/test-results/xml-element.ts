export interface Element {
  name: string
  attributes: Record<string, string>
  /** The start and end of its own text, complete once it is closed. */
  text: string
  parent: Element | undefined
}

/** What a format makes of the elements. Cases are added to the report as they are complete, or at the end. */
export interface XmlReader {
  open?(element: Element): void
  close(element: Element): void
  end?(): void
}
