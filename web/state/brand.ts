/**
 * The name of the shop. Until the operator's name has loaded, and on pages rendered without it, the name of the
 * program.
 */
export const defaultBrand = 'Turnpike'

let name: string = defaultBrand
const listeners = new Set<() => void>()

export const brand = {
  get name(): string {
    return name
  },
}

export function setBrand(next: string): void {
  if (next === name) return
  name = next
  for (const listener of listeners) listener()
}

/** Subscribes to changes of the name, which texts contain. */
export function onBrandChange(listener: () => void): void {
  listeners.add(listener)
}
