/** Reports the acts that this page has made. */
import type { DeskName } from '#contract/desk/wire'

type Listener = (name: DeskName) => void
const listeners = new Set<Listener>()

export function tellDone(name: DeskName): void {
  for (const listener of listeners) listener(name)
}

export function onActDone(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
