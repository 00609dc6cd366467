import { createElement, Fragment, type ReactNode } from 'react'

/** Nodes side by side without keys, for text that does not change while it is shown. */
export const withoutKeys = (nodes: ReactNode[]): ReactNode => createElement(Fragment, null, ...nodes)
