/** What the operator calls the shop, as far as it is known; until then, and on pages written without it, the program's name. */
export const defaultBrand = 'Turnpike'

let name: string = defaultBrand
const listeners = new Set<() => void>()

export const brand = {
  get name(): string {
    return name
  },
}

export function setBrand(own: string): void {
  if (own === name) return
  name = own
  for (const listener of listeners) listener()
}

/** Calls back when the shop turns out to be called something else: texts hold its name. */
export function onBrandChange(listener: () => void): void {
  listeners.add(listener)
}
