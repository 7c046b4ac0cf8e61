/**
 * The view of this tab: a member of staff sees the shop as one customer sees it, read-only. It begins and
 * ends with a page load, so that nothing of the view is in memory before or after it.
 */
import { useSyncExternalStore } from 'react'
import { type OpenedView, viewPage } from '#contract/view'
import { viewKey } from './storage.ts'

function readView(): OpenedView | null {
  try {
    return JSON.parse(sessionStorage.getItem(viewKey) ?? 'null') as OpenedView | null
  } catch {
    return null
  }
}

export const view: OpenedView | null = readView()

/** From now on this tab stores data of the view only. Throws where the browser has no storage. */
export const beginView = (opened: OpenedView): void => sessionStorage.setItem(viewKey, JSON.stringify(opened))

/** Forgets the view; the page then says that it has ended. */
export function leaveView(): void {
  sessionStorage.clear()
  window.location.replace(viewPage)
}

const never = () => () => undefined

/** The same for components: pages rendered by the server know no view. */
export const useView = (): OpenedView | null =>
  useSyncExternalStore(
    never,
    () => view,
    () => null,
  )
