/** The common parts of route definitions. */
import type { ComponentType } from 'react'
import { loadCode } from './code.ts'
import { loadTexts, type Namespace } from '../i18n.ts'

/** The `handle` of a route, read by the layout around it. */
export interface RouteHandle {
  /** No header: the page asks for one decision. */
  hideHeader?: boolean
  /** A footer of one line, for pages to work in. */
  compactFooter?: boolean
}

/** The `lazy` of a route: loads a page together with its texts, so that no page renders without them. */
export function lazyPage(load: () => Promise<ComponentType>, ...texts: Namespace[]) {
  return async () => {
    const [Component] = await loadCode(() => Promise.all([load(), loadTexts(...texts)]))
    return { Component }
  }
}
