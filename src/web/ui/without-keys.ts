import { createElement, Fragment, type ReactNode } from 'react'

/** A list of nodes without keys, for text that does not change while it is shown. */
export const withoutKeys = (nodes: ReactNode[]): ReactNode => createElement(Fragment, null, ...nodes)
