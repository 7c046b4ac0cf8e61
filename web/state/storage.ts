/**
 * The local storage of the browser. It can be disabled or full (private windows, strict settings); the
 * product then works without remembering, so a read returns null and a failed write is ignored. A tab in
 * which a member of staff looks at a customer's account has a storage of its own, which ends with it: this
 * browser's own session is unchanged.
 */
export const viewKey = 'view'

const storage = (): Storage => (sessionStorage.getItem(viewKey) === null ? localStorage : sessionStorage)

/** On the server: what the visitor's browser has stored, while a screen is rendered for them. */
let lent: Readonly<Record<string, string>> = {}

export function lendStored(values: Readonly<Record<string, string>>): void {
  lent = values
}

/** Whether a change of this storage concerns the tab; null: the browser does not say which has changed. */
export function isUsed(changed: Storage | null): boolean {
  try {
    return changed === null || changed === storage()
  } catch {
    return false
  }
}

export function readStored(key: string): string | null {
  if (import.meta.env.SSR) return Object.hasOwn(lent, key) ? (lent[key] ?? null) : null
  try {
    return storage().getItem(key)
  } catch {
    return null
  }
}

export function writeStored(key: string, value: string): void {
  try {
    storage().setItem(key, value)
  } catch {
    // Ignored: see above.
  }
}

export function removeStored(key: string): void {
  try {
    storage().removeItem(key)
  } catch {
    // Ignored: see above.
  }
}
