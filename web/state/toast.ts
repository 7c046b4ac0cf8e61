/**
 * Notifications at the top right. The toaster is fetched in an idle moment or with the first notification,
 * and shows only what arrives after it was mounted: earlier notifications wait here.
 */
import { useSyncExternalStore } from 'react'
import { tellDialog } from '../ui/dialog-failures.ts'
import { Listeners } from './listeners.ts'

/** How long a notification stays. */
export const toastMs = 3000

type Kind = 'error' | 'success' | 'info'

const { promise: toaster, resolve: setToaster } = Promise.withResolvers<(kind: Kind, text: string) => void>()
const listeners = new Listeners()
let isRequested = false
/** The last notification that the toaster, not loaded yet, could not display. */
let waiting: string | null = null

function show(kind: Kind, text: string): void {
  isRequested = true
  waiting = text
  listeners.notify()
  void toaster.then((display) => {
    display(kind, text)
    if (waiting === null) return
    waiting = null
    listeners.notify()
  })
}

export const toast = {
  /** Also shown in the open dialog, whose backdrop covers the notification. */
  error: (text: string) => {
    show('error', text)
    tellDialog(text)
  },
  success: (text: string) => {
    show('success', text)
    tellDialog(null)
  },
  info: (text: string) => show('info', text),
}

/**
 * For the layout: calls back when the toaster is needed, at once when a notification already waits for it.
 */
export function onToasterRequest(listener: () => void): () => void {
  if (isRequested) listener()
  return listeners.subscribe(listener)
}

/**
 * For the layout: the last notification that waits for the toaster, whose code cannot load without a network.
 */
export const useWaitingNotification = (): string | null =>
  useSyncExternalStore(
    listeners.subscribe,
    () => waiting,
    () => null,
  )

/** For the toaster: hands over the function that displays a notification, once it is mounted. */
export const onToasterMounted = setToaster
