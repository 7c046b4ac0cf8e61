/**
 * Notices at the top right. The toaster's code is fetched when an idle moment or the first notice comes; a notice
 * waits until the toaster stands, because the toaster shows only what is said after it was mounted.
 */
type Kind = 'error' | 'success' | 'info'

const { promise: mounted, resolve: onMounted } = Promise.withResolvers<(kind: Kind, text: string) => void>()
const wanting = new Set<() => void>()
let wanted = false

function show(kind: Kind, text: string): void {
  wanted = true
  for (const want of wanting) want()
  void mounted.then((say) => say(kind, text))
}

export const toast = {
  error: (text: string) => show('error', text),
  success: (text: string) => show('success', text),
  info: (text: string) => show('info', text),
}

/** For the frame of the page: calls back once a notice is waiting, at once if one already is. */
export function whenToastWanted(want: () => void): () => void {
  if (wanted) want()
  wanting.add(want)
  return () => wanting.delete(want)
}

/** For the toaster: it stands now and can say things. */
export const toasterMounted = onMounted
