/** The table of routes. Every page of the shop has a fixed path, by which it is looked up. */
import type { ComponentType } from 'react'

/** A page's code, loaded when it is first visited. */
export type LazyComponent = () => Promise<{ Component: ComponentType }>

export interface Route {
  /** Relative to the parent; `*` for every path below it that has no route. */
  path?: string
  /** Read by the layout around the page. */
  handle?: unknown
  /** Runs before the page is shown; a redirect shows another one instead. */
  loader?: (page: { url: URL }) => unknown
  Component?: ComponentType
  lazy?: LazyComponent
  children?: readonly Route[]
}

/** A page with the routes around it, outermost first. Each page has one array, which identifies it. */
export type Chain = readonly Route[]

/** Maps the paths of all pages to their chains. */
export function tableOf(routes: readonly Route[]): ReadonlyMap<string, Chain> {
  const table = new Map<string, Chain>()
  const add = (children: readonly Route[], parent: string, around: Chain) => {
    for (const route of children) {
      const path = route.path === undefined ? parent : `${parent}/${route.path}`
      const chain = [...around, route]
      if (route.children === undefined) table.set(path === '' ? '/' : path, chain)
      else add(route.children, path, chain)
    }
  }
  add(routes, '', [])
  return table
}

/** The page at a path, ignoring case and trailing slashes; else the nearest `*`. */
export function pageAt(table: ReadonlyMap<string, Chain>, pathname: string): Chain {
  let path = pathname.toLowerCase()
  while (path.length > 1 && path.endsWith('/')) path = path.slice(0, -1)
  const page = table.get(path)
  if (page !== undefined) return page
  for (let parent = path; parent !== '';) {
    parent = parent.slice(0, parent.lastIndexOf('/'))
    const rest = table.get(`${parent}/*`)
    if (rest !== undefined) return rest
  }
  throw new Error(`no route for ${pathname}`)
}

const redirection = Symbol('redirect')

interface Redirect {
  [redirection]: string
}

/** The answer of a loader that shows another page instead. */
export const redirect = (to: string): Redirect => ({ [redirection]: to })

const targetOf = (answer: unknown): string | undefined =>
  typeof answer === 'object' && answer !== null && redirection in answer
    ? (answer as Redirect)[redirection]
    : undefined

/** Loads the code of a page, so that it can be rendered. */
export async function loadCodeOf(chain: Chain): Promise<void> {
  await Promise.all(
    chain.map(async (route) => {
      if (route.lazy === undefined || route.Component !== undefined) return
      route.Component = (await route.lazy()).Component
    }),
  )
}

/** Whether a page can be rendered at once. */
export const isLoaded = (chain: Chain) =>
  chain.every(({ lazy, Component }) => lazy === undefined || Component !== undefined)

/** Runs the loaders of a page and loads its code; returns the path to redirect to, or undefined. */
export async function load(chain: Chain, url: URL): Promise<string | undefined> {
  const answers = chain.map(({ loader }) => loader?.({ url }))
  const target = answers.map(targetOf).find((each) => each !== undefined)
  if (target !== undefined) return target
  const code = loadCodeOf(chain)
  // Prevents an unhandled rejection when a loader fails first; `await code` below reports the failure.
  code.catch(() => undefined)
  const later = (await Promise.all(answers)).map(targetOf).find((each) => each !== undefined)
  if (later === undefined) await code
  return later
}
